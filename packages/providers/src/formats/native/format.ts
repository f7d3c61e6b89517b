import { textsOf } from "@trunkline/core/conversation.ts";
import { jsonAnswer } from "../../http/json-answer.ts";
import { messageIn } from "../../http/provider-error.ts";
import type { WireFormat } from "../../http/wire-format.ts";
import { toContractRequest } from "./request.ts";
import { AnswerReader } from "./response.ts";

/** Our own contract: a POST with input and parameters, answered whole or in a stream. */
export const contractFormat: WireFormat = {
  request: toContractRequest,
  read: ({ model, inference: { task, conversation } }, { streaming }) => {
    // Who hears speech answers in words, although its type is audio.
    const answering = task.kind === "transcription" ? ({ ...model, type: "text" } as const) : model;
    const reader = new AnswerReader(answering, conversation, textsOf(conversation).length);
    return jsonAnswer(reader, model.limits, streaming);
  },
  wordsOf: (body) =>
    typeof body === "object" && body !== null && "error" in body ? messageIn(body.error) : undefined,
};
