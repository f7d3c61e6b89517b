import type { Part } from "@trunkline/core/answer.ts";
import { toEmbeddings } from "../../http/embeddings.ts";
import type { AnswerObjectReader } from "../../http/json-answer.ts";
import { isObject } from "../../http/json-object.ts";
import { toUsage } from "./usage.ts";

/** The vectors of so many inputs. */
export function embeddingsReader(inputs: number): AnswerObjectReader {
  let parts: readonly Part[] | undefined;
  return {
    done: false,
    take(answer) {
      const given = isObject(answer.embeddings) ? answer.embeddings.float : answer.embeddings;
      const vectors: readonly unknown[] = Array.isArray(given) ? given : [];
      parts = [...toEmbeddings(vectors, inputs), ...toUsage(answer.meta)];
      return [];
    },
    end: () => [...(parts ?? toEmbeddings([], inputs)), { type: "finish", reason: "stop" }],
  };
}
