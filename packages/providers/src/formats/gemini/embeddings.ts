import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { textsOf } from "@trunkline/core/conversation.ts";
import { isObject, type JsonObject, objectItems } from "@trunkline/core/json-object.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { AnswerObjectReader } from "../../http/json-stream.ts";
import { extrasFor, toEmbeddings, type WireRequest } from "../../http/wire-format.ts";
import { modelIdOf, operationUrl } from "./endpoint.ts";
import { throwIfError } from "./errors.ts";
import { toUsage } from "./response.ts";

/** All inputs of a request at once. */
export function toEmbeddingsRequest(call: ProviderCall): Omit<WireRequest, "headers"> {
  const { model, inference } = call;
  const extras = extrasFor(call, "gemini");
  const requests = textsOf(inference.conversation).map((text) => ({
    ...extras,
    model: `models/${modelIdOf(model)}`,
    content: { parts: [{ text }] },
    outputDimensionality: inference.parameters.dimensions,
  }));
  return {
    url: operationUrl(model, "batchEmbedContents"),
    streaming: false,
    body: JSON.stringify({ requests }),
  };
}

/** Reads the embeddings of this many inputs. */
export function embeddingsReader(inputs: number, { credential }: ProviderCall["model"]): AnswerObjectReader {
  let vectors: readonly Part[] | undefined;
  let usage: Part | undefined;
  return {
    done: false,
    take(answer: JsonObject) {
      throwIfError(answer, credential);
      vectors = toEmbeddings(
        objectItems(answer.embeddings).map(({ values }) => values),
        inputs,
      );
      if (isObject(answer.usageMetadata)) usage = toUsage(answer.usageMetadata);
    },
    end: () => [
      ...(vectors ?? toEmbeddings([], inputs)),
      ...(usage === undefined ? [] : [usage]),
      { type: "finish", reason: "stop" },
    ],
  };
}
