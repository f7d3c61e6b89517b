import { jsonAnswerReader } from "../../http/json-answer-reader.ts";
import { remainingCallsOf } from "../../http/rate-limit.ts";
import type { RateLimitState, WireFormat, WireResponseHead } from "../../http/wire-format.ts";
import { answerToolOf } from "./answer-tool.ts";
import { errorMessageIn, errorStatusIn } from "./errors.ts";
import { toAnthropicRequest } from "./request.ts";
import { AnthropicResponseReader } from "./response.ts";

/** Anthropic's Messages API, which other providers also offer. */
export const anthropicFormat: WireFormat = {
  request: toAnthropicRequest,
  read: (call, { streaming }) =>
    jsonAnswerReader(
      new AnthropicResponseReader(call.model.credential, answerToolOf(call) !== undefined),
      call.model.limits,
      streaming,
    ),
  errorMessageOf: errorMessageIn,
  limitsOf: rateLimitsIn,
  statusOf: errorStatusIn,
};

const KINDS = ["requests", "tokens", "input-tokens", "output-tokens"] as const;
const PAUSE_SECONDS_MAX = 86_400;

/** The pause until limits that are used up reset. */
function rateLimitsIn(headers: WireResponseHead["headers"], now: number): RateLimitState | undefined {
  const waits = KINDS.flatMap((kind) => {
    if (headers[`anthropic-ratelimit-${kind}-remaining`]?.trim() !== "0") return [];
    const seconds = secondsUntil(headers[`anthropic-ratelimit-${kind}-reset`], now);
    return seconds === undefined ? [] : [seconds];
  });
  const pauseSeconds = Math.max(0, ...waits);
  if (pauseSeconds > 0) return { pauseSeconds };
  const remaining = remainingCallsOf(
    headers["anthropic-ratelimit-requests-remaining"],
    secondsUntil(headers["anthropic-ratelimit-requests-reset"], now),
  );
  return remaining === undefined ? undefined : { remaining };
}

/** The seconds until an RFC 3339 timestamp. */
function secondsUntil(moment: string | undefined, now: number): number | undefined {
  const text = moment?.trim() ?? "";
  if (!/^\d{4}-\d{2}-\d{2}t\d{2}:\d{2}:\d{2}(\.\d+)?(z|[+-]\d{2}:\d{2})$/i.test(text)) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) return undefined;
  return Math.min(Math.max(Math.ceil((at - now) / 1_000), 0), PAUSE_SECONDS_MAX);
}
