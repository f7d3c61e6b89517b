import type { RateLimitState, WireResponseHead } from "./wire-format.ts";

const SECONDS_MAX = 86_400;
/** Larger numbers are no durations but points in time, in seconds since 1970; some providers use milliseconds. */
const EPOCH_SECONDS_MIN = 1_000_000_000;
const EPOCH_MS_MIN = 1_000_000_000_000;

/** The calls that are left; undefined where the provider does not say both how many and until when. */
export function remainingCallsOf(
  remaining: string | undefined,
  seconds: number | undefined,
): RateLimitState["remaining"] {
  const calls = countIn(remaining);
  if (calls === undefined || seconds === undefined || !(seconds > 0)) return undefined;
  return { calls, seconds: Math.min(seconds, SECONDS_MAX) };
}

/**
 * A provider's limit from the common headers: `RateLimit: "name";r=5;t=30`, or `RateLimit-Remaining` and
 * `RateLimit-Reset`, with or without the prefix `X-`.
 */
export function readRateLimit(headers: WireResponseHead["headers"], now: number): RateLimitState | undefined {
  const { ratelimit } = headers;
  const isOneHeader = ratelimit !== undefined && ratelimit.length < 200;
  const remaining = isOneHeader
    ? REMAINING.exec(ratelimit)?.[1]
    : (headers["ratelimit-remaining"] ?? headers["x-ratelimit-remaining"]);
  if (remaining === undefined) return undefined;
  const reset = isOneHeader ? RESET.exec(ratelimit)?.[1] : (headers["ratelimit-reset"] ?? headers["x-ratelimit-reset"]);
  const left = remainingCallsOf(remaining, secondsIn(reset, now));
  if (left === undefined) return undefined;
  return left.calls > 0 ? { remaining: left } : { pauseSeconds: Math.ceil(left.seconds) };
}

const REMAINING = /;\s*r=(\d{1,9})/;
const RESET = /;\s*t=(\d{1,9})/;

function countIn(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? "";
  return /^\d{1,13}$/.test(trimmed) ? Number(trimmed) : undefined;
}

function secondsIn(text: string | undefined, now: number): number | undefined {
  const given = countIn(text);
  if (given === undefined || given < EPOCH_SECONDS_MIN) return given;
  return Math.ceil((given < EPOCH_MS_MIN ? given : given / 1_000) - now / 1_000);
}

const RETRY_AFTER_SECONDS_MAX = 86_400;

/** The seconds of a Retry-After header, given as a number or a date; undefined where it is neither. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text)), RETRY_AFTER_SECONDS_MAX);
  // Only the date formats of HTTP: the parser would accept almost anything as a date.
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) return undefined;
  return Math.min(Math.max(Math.ceil((at - now) / 1_000), 0), RETRY_AFTER_SECONDS_MAX);
}
