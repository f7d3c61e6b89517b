import { textsOf } from "@trunkline/core/conversation.ts";
import { jsonAnswer } from "../../http/json-answer.ts";
import { isObject } from "../../http/json-object.ts";
import type { WireFormat } from "../../http/wire-format.ts";
import { embedAnswer } from "./embed.ts";
import { toCohereRequest } from "./request.ts";
import { CohereAnswer } from "./response.ts";

/** The second version of Cohere's API: chat and embeddings. */
export const cohereFormat = {
  request: toCohereRequest,
  read: ({ model, inference }, { streaming }) =>
    jsonAnswer(
      model.type === "embedding"
        ? embedAnswer(textsOf(inference.conversation).length)
        : new CohereAnswer(model.credential),
      model.limits,
      streaming,
    ),
  wordsOf: (body) => (isObject(body) ? body.message : undefined),
} satisfies WireFormat;
