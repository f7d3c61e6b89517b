import { inputsOf } from "../../domain/conversation.ts";
import { jsonAnswer } from "../http/json-answer.ts";
import { messageIn } from "../http/refusal.ts";
import type { WireFormat } from "../http/wire-format.ts";
import { toContractRequest } from "./request.ts";
import { AnswerReader } from "./response.ts";

/** Our own contract: a POST with input and parameters, answered whole or in a stream. */
export const contractFormat: WireFormat = {
  request: toContractRequest,
  read: ({ model, inference: { conversation } }, { streaming }) => {
    const reader = new AnswerReader(model, conversation, inputsOf(conversation).length);
    return jsonAnswer(reader, model.limits, streaming);
  },
  wordsOf: (body) =>
    typeof body === "object" && body !== null && "error" in body ? messageIn(body.error) : undefined,
};
