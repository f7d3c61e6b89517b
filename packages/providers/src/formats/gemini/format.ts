import { textsOf } from "@trunkline/core/conversation.ts";
import { jsonAnswerReader } from "../../http/json-answer-reader.ts";
import type { WireFormat } from "../../http/wire-format.ts";
import { embeddingsReader } from "./embeddings.ts";
import { errorIn, errorStatusIn, retryAfterOf } from "./errors.ts";
import { toGeminiRequest } from "./request.ts";
import { GeminiResponseReader } from "./response.ts";

/** Google's Gemini API, and Vertex AI with the base URL of its publisher models. */
export const geminiFormat = {
  request: toGeminiRequest,
  read: ({ model, inference }, { streaming }) => {
    const choices = inference.parameters.choices ?? 1;
    const answer =
      model.type === "embedding"
        ? embeddingsReader(textsOf(inference.conversation).length, model)
        : new GeminiResponseReader(model, { streaming, choices });
    return jsonAnswerReader(answer, model.limits, streaming);
  },
  errorMessageOf: (body) => errorIn(body)?.message,
  statusOf: errorStatusIn,
  retryAfterOf,
} satisfies WireFormat;
