import { textsOf } from "@trunkline/core/conversation.ts";
import { jsonAnswer } from "../../http/json-answer.ts";
import type { WireFormat } from "../../http/wire-format.ts";
import { embedAnswer } from "./embeddings.ts";
import { errorIn, retryAfterOf, statusOf } from "./errors.ts";
import { toGeminiRequest } from "./request.ts";
import { GeminiAnswer } from "./response.ts";

/** Google's Gemini API, and Vertex AI by the base of its publisher's models. */
export const geminiFormat = {
  request: toGeminiRequest,
  read: ({ model, inference }, { streaming }) => {
    const choices = inference.parameters.choices ?? 1;
    const answer =
      model.type === "embedding"
        ? embedAnswer(textsOf(inference.conversation).length, model)
        : new GeminiAnswer(model, { streaming, choices });
    return jsonAnswer(answer, model.limits, streaming);
  },
  wordsOf: (body) => errorIn(body)?.message,
  statusOf,
  retryAfterOf,
} satisfies WireFormat;
