import { type Clock, systemClock } from "@trunkline/core/clock.ts";
import { jsonAnswerReader } from "../../http/json-answer-reader.ts";
import type { WireFormat } from "../../http/wire-format.ts";
import { EmbeddingsReader } from "./embeddings.ts";
import { errorMessageIn, errorStatusIn } from "./errors.ts";
import { toBedrockRequest } from "./request.ts";
import { ConverseResponseReader, ConverseStreamReader } from "./response.ts";

/** Amazon Bedrock's Converse API, one format for the models of many vendors. */
export function bedrockFormat(clock: Clock = systemClock): WireFormat {
  return {
    request: (call, credential) => toBedrockRequest(call, credential, clock),
    read(call, head) {
      const { model } = call;
      if (model.type === "embedding") return jsonAnswerReader(new EmbeddingsReader(call, head), model.limits, false);
      return head.streaming
        ? new ConverseStreamReader(model)
        : jsonAnswerReader(new ConverseResponseReader(), model.limits, false);
    },
    errorMessageOf: errorMessageIn,
    statusOf: errorStatusIn,
  };
}
