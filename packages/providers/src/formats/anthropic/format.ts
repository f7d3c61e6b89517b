import { jsonAnswerReader } from "../../http/json-answer.ts";
import type { WireFormat } from "../../http/wire-format.ts";
import { errorMessageIn, errorStatusIn } from "./errors.ts";
import { rateLimitsIn } from "./limits.ts";
import { toAnthropicRequest } from "./request.ts";
import { AnthropicResponseReader } from "./response.ts";

/** The Messages API of Anthropic, which others speak too. */
export const anthropicFormat: WireFormat = {
  request: toAnthropicRequest,
  read: ({ model }, { streaming }) =>
    jsonAnswerReader(new AnthropicResponseReader(model.credential), model.limits, streaming),
  errorMessageOf: errorMessageIn,
  limitsOf: rateLimitsIn,
  statusOf: errorStatusIn,
};
