import type { EmbeddingPart, Part } from "../../domain/answer.ts";
import { ProviderFailure } from "../../domain/attempt.ts";
import { textsOf } from "../../domain/conversation.ts";
import { upstreamNameOf } from "../../domain/model.ts";
import type { ProviderCall } from "../adapter.ts";
import { isObject, objectsIn } from "./json.ts";
import { toPassedFields } from "./passed-fields.ts";
import { toUsage } from "./usage.ts";
import { WholeObject } from "./whole-object.ts";

const FLOAT_BYTES = 4;

/** The body that asks for embeddings. */
export function toEmbeddingsBody(
  { model, inference }: Pick<ProviderCall, "model" | "inference">,
  onDropped: (field: string) => void,
): object {
  return {
    ...toPassedFields(inference, onDropped),
    model: upstreamNameOf(model),
    input: textsOf(inference.conversation),
    dimensions: inference.parameters.dimensions,
  };
}

/** Reads embeddings, one for each input. */
export function embeddingsAnswer({
  model,
  inference,
}: Pick<ProviderCall, "model" | "inference">): WholeObject {
  const count = textsOf(inference.conversation).length;
  return new WholeObject(model.credential, (body): readonly Part[] => {
    const embeddings = objectsIn(body.data).map(({ embedding, index }, place) =>
      toPart(embedding, index ?? place),
    );
    const places = new Set(embeddings.map(({ index }) => index));
    if (embeddings.length !== count || places.size !== count)
      throw new ProviderFailure("broken", `answered ${count} inputs with ${places.size} embeddings`);
    // What goes in is all that is counted here.
    const usage = isObject(body.usage) ? [{ ...toUsage(body.usage), outputTokens: 0 }] : [];
    return [...usage, ...embeddings.sort((one, other) => one.index - other.index)];
  });
}

function toPart(embedding: unknown, index: unknown): EmbeddingPart {
  const vector = typeof embedding === "string" ? decodeFloats(embedding) : embedding;
  if (!isVector(vector) || typeof index !== "number")
    throw new ProviderFailure("broken", "answered with an embedding that is not a list of numbers");
  return { type: "embedding", index, vector };
}

/** Numbers of four bytes each, the lowest byte first. */
function decodeFloats(base64: string): number[] {
  const bytes = Buffer.from(base64, "base64");
  return Array.from({ length: Math.floor(bytes.length / FLOAT_BYTES) }, (_, place) =>
    bytes.readFloatLE(place * FLOAT_BYTES),
  );
}

function isVector(vector: unknown): vector is number[] {
  return Array.isArray(vector) && vector.length > 0 && vector.every((number) => Number.isFinite(number));
}
