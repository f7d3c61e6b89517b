import { textsOf } from "@trunkline/core/conversation.ts";
import { isObject } from "@trunkline/core/json-object.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { type AnswerObjectReader, jsonAnswerReader } from "../../http/json-stream.ts";
import { toEmbeddings, type WireFormat } from "../../http/wire-format.ts";
import { toCohereRequest } from "./request.ts";
import { CohereResponseReader, toUsage } from "./response.ts";

/** Version 2 of Cohere's API: chat and embeddings. */
export const cohereFormat = {
  request: toCohereRequest,
  read: ({ model, inference }, { streaming }) =>
    jsonAnswerReader(
      model.type === "embedding"
        ? embeddingsReader(textsOf(inference.conversation).length)
        : new CohereResponseReader(model.credential),
      model.limits,
      streaming,
    ),
  errorMessageOf: (body) => (isObject(body) ? body.message : undefined),
} satisfies WireFormat;

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
