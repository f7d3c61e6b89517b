import type { MediaPart, Part } from "@trunkline/core/answer.ts";
import type { Journal } from "@trunkline/core/journal.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import type { WholeAnswer } from "../endpoints/endpoint.ts";

/** A whole answer is the stream of its parts, collected. It is whole only with its receipt. */
export async function collectAnswer(
  stream: AsyncIterable<Part | Receipt>,
  journal: Journal,
  asked: unknown,
): Promise<WholeAnswer> {
  const parts: Part[] = [];
  let text = "";
  let media: MediaPart | undefined;
  let receipt: Receipt | undefined;
  for await (const part of stream) {
    if (part.type === "receipt") {
      receipt = part;
      continue;
    }
    parts.push(part);
    if (part.type === "text" && (part.choice ?? 0) === 0) text += part.text;
    else if (part.type === "media") media ??= part;
  }
  if (receipt === undefined) throw new Error("An answer ended without a receipt.");
  return { parts, text, media, receipt, journal, asked };
}
