import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { jsonAnswerReader } from "../../http/json-answer.ts";
import type { AnswerReader, WireFormat, WireResponseHead } from "../../http/wire-format.ts";
import { ChatCompletionReader } from "./chat-answer.ts";
import { embeddingsReader } from "./embeddings.ts";
import { errorMessageIn, errorStatusIn } from "./errors.ts";
import { imagesReader } from "./images.ts";
import { rateLimitsIn } from "./limits.ts";
import { operationOf } from "./operation.ts";
import { toOpenAiRequest } from "./request.ts";
import { speechReader } from "./speech.ts";
import { transcriptionReader } from "./transcription.ts";

/** OpenAI's wire, which most providers and servers of models speak, each with its own accent. */
export const openAiFormat = {
  request: toOpenAiRequest,
  read: readResponse,
  errorMessageOf: errorMessageIn,
  limitsOf: rateLimitsIn,
  statusOf: errorStatusIn,
} satisfies WireFormat;

function readResponse(call: ProviderCall, head: WireResponseHead): AnswerReader {
  const { model } = call;
  switch (operationOf(call)) {
    case "chat":
      return jsonAnswerReader(new ChatCompletionReader(call), model.limits, head.streaming);
    case "embeddings":
      return jsonAnswerReader(embeddingsReader(call), model.limits, false);
    case "images":
      return jsonAnswerReader(imagesReader(model), model.limits, false);
    case "speech":
      return speechReader(call, head);
    case "transcription":
      return transcriptionReader(model);
  }
}
