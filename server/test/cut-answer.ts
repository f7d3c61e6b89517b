import type { Part } from "../src/domain/answer.ts";
import type { AnswerBytes } from "../src/providers/http/wire-format.ts";

/** The parts of an answer that comes in these pieces, as a caller would see them. Neighbouring texts are one. */
export function partsOf(answer: AnswerBytes, ...pieces: readonly Buffer[]): Part[] {
  const parts: Part[] = [];
  for (const piece of pieces) {
    parts.push(...answer.push(piece));
    if (answer.done) return mergeNeighbours(parts);
  }
  parts.push(...answer.end());
  return mergeNeighbours(parts);
}

/** How an answer was cut never matters, so that neighbouring pieces of one text are compared as one. */
function mergeNeighbours(parts: readonly Part[]): Part[] {
  const merged: Part[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (
      (part.type === "text" || part.type === "thinking") &&
      last?.type === part.type &&
      last.choice === part.choice
    )
      merged[merged.length - 1] = { ...last, ...part, text: last.text + part.text };
    else merged.push(part);
  }
  return merged;
}

/** What reading the first bytes of an answer comes to, at every length: its parts, or what was thrown. */
export function* truncations(
  open: () => AnswerBytes,
  bytes: Buffer,
): Generator<{ readonly length: number; readonly parts?: Part[]; readonly error?: unknown }> {
  for (let length = 0; length < bytes.length; length++) {
    try {
      yield { length, parts: partsOf(open(), bytes.subarray(0, length)) };
    } catch (error) {
      yield { length, error };
    }
  }
}
