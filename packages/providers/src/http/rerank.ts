import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { textsOf } from "@trunkline/core/conversation.ts";
import { type JsonObject, objectItems } from "@trunkline/core/json-object.ts";
import { upstreamNameOf } from "@trunkline/core/model.ts";
import type { EmbeddingPart } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { toEmbeddings } from "./wire-format.ts";

/** The body of a request to rank documents, which all providers take in one form. */
export function toRerankBody({ model, inference }: Pick<ProviderCall, "model" | "inference">): object {
  const [query, ...documents] = textsOf(inference.conversation);
  return { model: upstreamNameOf(model), query, documents };
}

/** How relevant each document is, in the order of the documents. Providers give the most relevant first. */
export function toRelevances(
  body: JsonObject,
  { inference }: Pick<ProviderCall, "inference">,
): readonly EmbeddingPart[] {
  const documents = textsOf(inference.conversation).length - 1;
  const vectors: unknown[] = [];
  for (const { index, relevance_score: score } of objectItems(body.results ?? body.data)) {
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= documents)
      throw new ProviderFailure("broken", "ranked a document that it was not given");
    vectors[index] = [score];
  }
  return toEmbeddings(Array.from(vectors), documents);
}
