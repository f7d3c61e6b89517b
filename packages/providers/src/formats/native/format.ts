import { textsOf } from "@trunkline/core/conversation.ts";
import { jsonAnswerReader } from "../../http/json-answer-reader.ts";
import { rawErrorMessage } from "../../http/provider-error.ts";
import type { WireFormat } from "../../http/wire-format.ts";
import { toNativeRequest } from "./request.ts";
import { NativeResponseReader } from "./response.ts";

/** Our own format: a POST with input and parameters, answered whole or as a stream. */
export const nativeFormat: WireFormat = {
  request: toNativeRequest,
  read: ({ model, inference: { task, conversation } }, { streaming }) => {
    // A transcription is answered with text, although the model's type is audio.
    const answering = task.kind === "transcription" ? ({ ...model, type: "text" } as const) : model;
    const reader = new NativeResponseReader(answering, conversation, textsOf(conversation).length);
    return jsonAnswerReader(reader, model.limits, streaming);
  },
  errorMessageOf: (body) =>
    typeof body === "object" && body !== null && "error" in body ? rawErrorMessage(body.error) : undefined,
};
