import type { MediaPart, Part } from "../domain/answer.ts";
import type { Receipt } from "../domain/receipt.ts";
import type { WholeAnswer } from "./endpoint.ts";

/** A whole answer is the stream of its parts, collected. It is whole only with its receipt. */
export async function collectAnswer(parts: AsyncIterable<Part | Receipt>): Promise<WholeAnswer> {
  let text = "";
  let media: MediaPart | undefined;
  let receipt: Receipt | undefined;
  for await (const part of parts) {
    if (part.type === "text") text += part.text;
    else if (part.type === "media") media ??= part;
    else if (part.type === "receipt") receipt = part;
  }
  if (receipt === undefined) throw new Error("An answer ended without a receipt.");
  return { text, media, receipt };
}
