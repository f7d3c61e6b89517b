import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { textsOf } from "@trunkline/core/conversation.ts";
import { isObject, type JsonObject, objectField, objectItems } from "@trunkline/core/json-object.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { AnswerObjectReader } from "../../http/json-answer-reader.ts";
import { extrasFor, toEmbeddings, type WireRequest } from "../../http/wire-format.ts";
import { isVertex, modelIdOf, operationUrl } from "./endpoint.ts";
import { throwIfError } from "./errors.ts";
import { toUsage } from "./response.ts";

/** All inputs of a request at once. */
export function toEmbeddingsRequest(call: ProviderCall): Omit<WireRequest, "headers"> {
  const { model, inference } = call;
  const extras = extrasFor(call, "gemini");
  if (isVertex(model)) {
    const { taskType: task_type, title } = extras;
    const instances = textsOf(inference.conversation).map((content) => ({ content, task_type, title }));
    const parameters = { outputDimensionality: inference.parameters.dimensions };
    return {
      url: operationUrl(model, "predict"),
      streaming: false,
      body: JSON.stringify({ instances, parameters }),
    };
  }
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
      const predicted = objectItems(answer.predictions).map((prediction) => objectField(prediction, "embeddings"));
      const found = predicted.length > 0 ? predicted : objectItems(answer.embeddings);
      vectors = toEmbeddings(
        found.map(({ values }) => values),
        inputs,
      );
      if (isObject(answer.usageMetadata)) usage = toUsage(answer.usageMetadata);
      else if (predicted.length > 0) usage = predictedUsage(predicted);
    },
    end: () => [
      ...(vectors ?? toEmbeddings([], inputs)),
      ...(usage === undefined ? [] : [usage]),
      { type: "finish", reason: "stop" },
    ],
  };
}

/** Vertex AI counts the tokens of each text; undefined where it leaves one out. */
function predictedUsage(predicted: readonly JsonObject[]): Part | undefined {
  let inputTokens = 0;
  for (const embedding of predicted) {
    const { token_count: count } = objectField(embedding, "statistics");
    if (typeof count !== "number") return undefined;
    inputTokens += count;
  }
  return { type: "usage", inputTokens, outputTokens: 0 };
}
