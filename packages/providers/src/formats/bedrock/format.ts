import { type Clock, systemClock } from "@trunkline/core/clock.ts";
import { jsonAnswer } from "../../http/json-answer.ts";
import type { WireFormat } from "../../http/wire-format.ts";
import { EmbeddingsReader } from "./embeddings.ts";
import { statusOfException, wordsInException } from "./errors.ts";
import { toBedrockRequest } from "./request.ts";
import { ConverseReader, ConverseStreamReader } from "./response.ts";

/** The Converse API of Amazon Bedrock, one format for the models of many makers. */
export function bedrockFormat(clock: Clock = systemClock): WireFormat {
  return {
    request: (call, credential) => toBedrockRequest(call, credential, clock),
    read(call, head) {
      const { model } = call;
      if (model.type === "embedding")
        return jsonAnswer(new EmbeddingsReader(call, head), model.limits, false);
      return head.streaming
        ? new ConverseStreamReader(model)
        : jsonAnswer(new ConverseReader(), model.limits, false);
    },
    wordsOf: wordsInException,
    statusOf: statusOfException,
  };
}
