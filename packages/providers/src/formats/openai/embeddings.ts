import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { textsOf } from "@trunkline/core/conversation.ts";
import { isObject, objectItems } from "@trunkline/core/json-object.ts";
import { upstreamNameOf } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { toRelevances } from "../../http/rerank.ts";
import { toEmbeddings } from "../../http/wire-format.ts";
import type { PassthroughFields } from "./parameters.ts";
import { SingleObjectReader, toUsage } from "./response.ts";

const FLOAT_BYTES = 4;

/** The body of an embeddings request. */
export function toEmbeddingsBody(
  { model, inference }: Pick<ProviderCall, "model" | "inference">,
  passed: PassthroughFields,
): object {
  return {
    ...passed,
    model: upstreamNameOf(model),
    input: inference.parameters.tokens ?? textsOf(inference.conversation),
    dimensions: inference.parameters.dimensions,
  };
}

/** Reads embeddings, one per input. */
export function embeddingsReader({ model, inference }: Pick<ProviderCall, "model" | "inference">): SingleObjectReader {
  const inputs = textsOf(inference.conversation).length;
  return new SingleObjectReader(model.credential, (body): readonly Part[] => {
    const vectors = objectItems(body.data).map(({ embedding, index }, place) => ({
      place: typeof index === "number" ? index : place,
      vector: typeof embedding === "string" ? decodeFloats(embedding) : embedding,
    }));
    if (new Set(vectors.map(({ place }) => place)).size < vectors.length)
      throw new ProviderFailure("broken", "answered with two vectors to one input");
    const inOrder = vectors.sort((one, other) => one.place - other.place).map(({ vector }) => vector);
    // Only input is counted.
    const usage = isObject(body.usage) ? [{ ...toUsage(body.usage), outputTokens: 0 }] : [];
    return [...usage, ...toEmbeddings(inOrder, inputs)];
  });
}

/** Reads the ranks of documents. Some providers count all tokens together. */
export function rerankReader(call: Pick<ProviderCall, "model" | "inference">): SingleObjectReader {
  return new SingleObjectReader(call.model.credential, (body): readonly Part[] => {
    const { usage } = body;
    const used = isObject(usage) ? toUsage({ input_tokens: usage.total_tokens, ...usage }) : undefined;
    return [...(used === undefined ? [] : [{ ...used, outputTokens: 0 }]), ...toRelevances(body, call)];
  });
}

/** Little-endian numbers of four bytes each. */
function decodeFloats(base64: string): number[] {
  const bytes = Buffer.from(base64, "base64");
  return Array.from({ length: Math.floor(bytes.length / FLOAT_BYTES) }, (_, place) =>
    bytes.readFloatLE(place * FLOAT_BYTES),
  );
}
