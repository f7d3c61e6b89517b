import type { EmbeddingPart } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import { toEmbeddings } from "../../http/embeddings.ts";
import { isObject } from "../../http/json-object.ts";

/** The vectors of an answer: one as `embedding`, one for each input as `embeddings`, or these lists by themselves. */
export function readEmbeddings(output: unknown, inputs: number): readonly EmbeddingPart[] {
  if (!isObject(output) && !Array.isArray(output))
    throw new ProviderFailure("broken", "the answer has no output");
  const list = isObject(output) ? (output.embeddings ?? [output.embedding]) : output;
  const vectors: readonly unknown[] = Array.isArray(list) ? list : [];
  return toEmbeddings(typeof vectors[0] === "number" ? [vectors] : vectors, inputs);
}
