import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { Part } from "@trunkline/core/answer.ts";
import { textsOf } from "@trunkline/core/conversation.ts";
import { toEmbeddings } from "../../http/embeddings.ts";
import { extrasFor } from "../../http/extras.ts";
import type { AnswerObjects } from "../../http/json-answer.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject, objectsIn } from "../../http/json-object.ts";
import type { WireRequest } from "../../http/wire-format.ts";
import { bareNameOf, operationUrl } from "./endpoint.ts";
import { throwError } from "./errors.ts";
import { toUsage } from "./usage.ts";

/** All inputs of a request at once. */
export function toEmbedRequest(call: ProviderCall): Omit<WireRequest, "headers"> {
  const { model, inference } = call;
  const extras = extrasFor(call, "gemini");
  const requests = textsOf(inference.conversation).map((text) => ({
    ...extras,
    model: `models/${bareNameOf(model)}`,
    content: { parts: [{ text }] },
    outputDimensionality: inference.parameters.dimensions,
  }));
  return {
    url: operationUrl(model, "batchEmbedContents"),
    streaming: false,
    body: JSON.stringify({ requests }),
  };
}

/** The vectors of so many inputs. */
export function embedAnswer(inputs: number, { credential }: ProviderCall["model"]): AnswerObjects {
  let vectors: readonly Part[] | undefined;
  let usage: Part | undefined;
  return {
    done: false,
    take(answer: JsonObject) {
      throwError(answer, credential);
      vectors = toEmbeddings(
        objectsIn(answer.embeddings).map(({ values }) => values),
        inputs,
      );
      if (isObject(answer.usageMetadata)) usage = toUsage(answer.usageMetadata);
      return [];
    },
    end: () => [
      ...(vectors ?? toEmbeddings([], inputs)),
      ...(usage === undefined ? [] : [usage]),
      { type: "finish", reason: "stop" },
    ],
  };
}
