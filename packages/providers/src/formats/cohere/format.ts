import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { textsOf } from "@trunkline/core/conversation.ts";
import { RERANK } from "@trunkline/core/inference.ts";
import { isObject } from "@trunkline/core/json-object.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { type AnswerObjectReader, jsonAnswerReader } from "../../http/json-answer-reader.ts";
import { toRelevances } from "../../http/rerank.ts";
import { toEmbeddings, type WireFormat } from "../../http/wire-format.ts";
import { toCohereRequest } from "./request.ts";
import { CohereResponseReader, toUsage } from "./response.ts";

/** Version 2 of Cohere's API: chat, embeddings and ranks of documents. */
export const cohereFormat = {
  request: toCohereRequest,
  read: (call, { streaming }) => jsonAnswerReader(readerOf(call), call.model.limits, streaming),
  errorMessageOf: (body) => (isObject(body) ? body.message : undefined),
} satisfies WireFormat;

function readerOf(call: ProviderCall): AnswerObjectReader {
  const { model, inference } = call;
  if (model.type !== "embedding") return new CohereResponseReader(model.credential);
  if (inference.task.word === RERANK) return rerankReader(call);
  return embeddingsReader(textsOf(inference.conversation).length);
}

/** Reads the ranks of documents. Cohere counts searches and no tokens. */
function rerankReader(call: ProviderCall): AnswerObjectReader {
  let parts: readonly Part[] | undefined;
  return {
    done: false,
    take(answer) {
      parts = toRelevances(answer, call);
    },
    end: () => [...(parts ?? toRelevances({}, call)), { type: "finish", reason: "stop" }],
  };
}

/** Reads the embeddings of this many inputs. */
function embeddingsReader(inputs: number): AnswerObjectReader {
  let parts: readonly Part[] | undefined;
  return {
    done: false,
    take(answer) {
      const given = isObject(answer.embeddings) ? answer.embeddings.float : answer.embeddings;
      const vectors: readonly unknown[] = Array.isArray(given) ? given : [];
      parts = [...toEmbeddings(vectors, inputs), ...toUsage(answer.meta)];
    },
    end: () => [...(parts ?? toEmbeddings([], inputs)), { type: "finish", reason: "stop" }],
  };
}
