import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { jsonAnswer } from "../../http/json-answer.ts";
import type { AnswerBytes, WireFormat, WireHead } from "../../http/wire-format.ts";
import { ChatAnswer } from "./chat-answer.ts";
import { embeddingsAnswer } from "./embeddings.ts";
import { statusIn, wordsIn } from "./errors.ts";
import { imagesAnswer } from "./images.ts";
import { readLimits } from "./limits.ts";
import { operationOf } from "./operation.ts";
import { toOpenAiRequest } from "./request.ts";
import { speechAnswer } from "./speech.ts";
import { transcriptionAnswer } from "./transcription.ts";

/** OpenAI's wire, which most providers and servers of models speak, each with its own accent. */
export const openAiFormat = {
  request: toOpenAiRequest,
  read: readAnswer,
  wordsOf: wordsIn,
  limitsOf: readLimits,
  statusOf: statusIn,
} satisfies WireFormat;

function readAnswer(call: ProviderCall, head: WireHead): AnswerBytes {
  const { model } = call;
  switch (operationOf(call)) {
    case "chat":
      return jsonAnswer(new ChatAnswer(call), model.limits, head.streaming);
    case "embeddings":
      return jsonAnswer(embeddingsAnswer(call), model.limits, false);
    case "images":
      return jsonAnswer(imagesAnswer(model), model.limits, false);
    case "speech":
      return speechAnswer(call, head);
    case "transcription":
      return transcriptionAnswer(model);
  }
}
