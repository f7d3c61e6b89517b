import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";

const MESSAGE_LENGTH_MAX = 200;

/** How providers say that a prompt does not fit into the model's context window. */
const TOO_LONG =
  /context (?:length|window|size)|maximum context|context_length_exceeded|(?:prompt|input) is too long|too many (?:input )?tokens|token count .{0,40}exceeds|exceeds? the (?:maximum|max|limit).{0,40}tokens/i;

/** An error that the provider itself responded with. */
interface ErrorResponse {
  /** The HTTP status, or the code in the error object. */
  readonly code: number | undefined;
  /** How it was received, for example "answered with status 503". */
  readonly description: string;
  /** The provider's own message, sanitised. */
  readonly message: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/** Classifies an error status, or an error object under a success status. */
export function toProviderFailure({
  code = 500,
  description,
  message,
  retryAfterSeconds,
}: ErrorResponse): ProviderFailure {
  const withMessage = message === undefined ? description : `${description}: ${message}`;
  if (code >= 300 && code < 400) {
    return new ProviderFailure("broken", "answered with a redirect, and redirects are not followed");
  }
  const extra = { said: message };
  if (code === 429) {
    const reason = "gets too many requests from us";
    return new ProviderFailure("rate-limited", reason, { ...extra, retryAfterSeconds });
  }
  if (code === 402) return new ProviderFailure("refused", "has no credit left for us", { ...extra, outage: "funds" });
  if (code === 408 || code === 504) return new ProviderFailure("timeout", description, extra);
  // 403 may concern only this request or region; 401 concerns every request.
  const outage = code === 401 ? "credential" : undefined;
  if (code === 401 || code === 403)
    return new ProviderFailure("refused", "refused our credential", { ...extra, outage });
  if (isRejection(code)) {
    const reason = message === undefined ? description : `rejected the request: ${message}`;
    const isTooLong = message !== undefined && TOO_LONG.test(message);
    return new ProviderFailure("rejected", reason, { ...extra, blamesEndpoint: false, isTooLong });
  }
  if (code === 529) return new ProviderFailure("overloaded", withMessage, { ...extra, retryAfterSeconds });
  return new ProviderFailure("broken", withMessage, { ...extra, retryAfterSeconds });
}

/** Whether a status blames the request itself, rather than our credential, our rate, or the provider's time. */
export function isRejection(code: number): boolean {
  return code >= 400 && code < 500 && ![401, 402, 403, 408, 429].includes(code);
}

/**
 * The message of an error object, safe to show: on one line, short, and without the credential, which some providers
 * repeat when they refuse it; undefined where there is none.
 */
export function errorMessageOf(error: unknown, credential: Secret | undefined): string | undefined {
  return sanitiseMessage(rawErrorMessage(error), credential);
}

/** The message of an error object, or the error itself where it is a string. */
export function rawErrorMessage(error: unknown): unknown {
  return typeof error === "object" && error !== null && "message" in error ? error.message : error;
}

/** A provider's message, safe to show and store. */
export function sanitiseMessage(message: unknown, credential: Secret | undefined): string | undefined {
  if (typeof message !== "string") return undefined;
  const secret = credential?.reveal() ?? "";
  const clean = message.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  const masked = secret === "" ? clean : clean.replaceAll(secret, "[secret]");
  // Cut between code points, never within one.
  return [...masked.slice(0, 2 * MESSAGE_LENGTH_MAX)].slice(0, MESSAGE_LENGTH_MAX).join("") || undefined;
}

/** The failure of a provider that returns more answers than requested. */
export function tooManyAnswersFailure(): ProviderFailure {
  return new ProviderFailure("broken", "gave more answers than were asked for");
}
