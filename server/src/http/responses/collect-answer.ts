import type { MediaPart, Part } from "@trunkline/core/answer.ts";
import type { RequestTrace } from "@trunkline/core/journal.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import type { CollectedAnswer } from "../endpoints/endpoint.ts";

/** A whole answer is the stream of its parts, collected. It is whole only with its receipt. */
export async function collectAnswer(
  stream: AsyncIterable<Part | Receipt>,
  requestTrace: RequestTrace,
  asked: unknown,
): Promise<CollectedAnswer> {
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
  return { parts, text, media, receipt, trace: requestTrace, requestBody: asked };
}
