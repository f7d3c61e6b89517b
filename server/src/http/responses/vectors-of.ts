import type { Part } from "@trunkline/core/answer.ts";

/** The vectors of an answer, in the order of what was asked. */
export function embeddingVectors(parts: readonly Part[]): (readonly number[])[] {
  return parts
    .flatMap((part) => (part.type === "embedding" ? [part] : []))
    .toSorted((one, other) => one.index - other.index)
    .map(({ vector }) => vector);
}
