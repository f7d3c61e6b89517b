import { jsonAnswer } from "../../http/json-answer.ts";
import type { WireFormat } from "../../http/wire-format.ts";
import { statusInError, wordsInError } from "./errors.ts";
import { limitsIn } from "./limits.ts";
import { toMessagesRequest } from "./request.ts";
import { MessageReader } from "./response.ts";

/** The Messages API of Anthropic, which others speak too. */
export const anthropicFormat: WireFormat = {
  request: toMessagesRequest,
  read: ({ model }, { streaming }) =>
    jsonAnswer(new MessageReader(model.credential), model.limits, streaming),
  wordsOf: wordsInError,
  limitsOf: limitsIn,
  statusOf: statusInError,
};
