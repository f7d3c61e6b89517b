import type { EmbeddingPart } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";

/** A vector for each of so many inputs. Fewer or more, and nobody knows which is whose. */
export function toEmbeddings(vectors: readonly unknown[], inputs: number): readonly EmbeddingPart[] {
  if (vectors.length !== inputs) {
    const given = vectors.length === 1 ? "1 vector" : `${vectors.length} vectors`;
    throw new ProviderFailure(
      "broken",
      `answered with ${given} to ${inputs === 1 ? "1 input" : `${inputs} inputs`}`,
    );
  }
  return vectors.map((vector, index) => {
    if (!isVector(vector))
      throw new ProviderFailure("broken", "answered with a vector that is not made of numbers");
    return { type: "embedding", index, vector };
  });
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "number");
}
