import { textsOf } from "@trunkline/core/conversation.ts";
import { jsonAnswerReader } from "../../http/json-answer.ts";
import { isObject } from "../../http/json-object.ts";
import type { WireFormat } from "../../http/wire-format.ts";
import { embeddingsReader } from "./embed.ts";
import { toCohereRequest } from "./request.ts";
import { CohereResponseReader } from "./response.ts";

/** The second version of Cohere's API: chat and embeddings. */
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
