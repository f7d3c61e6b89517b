import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";

const MESSAGE_LENGTH_MAX = 200;

/** What is known of a call that the provider itself answered with an error. */
interface ErrorResponse {
  /** The HTTP status, or the code in the error object. */
  readonly code: number | undefined;
  /** How that reached us, for example "answered with status 503". */
  readonly description: string;
  /** The provider's own words, cleaned. */
  readonly message: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/** What an error status, or an error object under a good status, says about the call and the endpoint. */
export function toProviderFailure({
  code = 500,
  description: said,
  message: words,
  retryAfterSeconds,
}: ErrorResponse): ProviderFailure {
  const withWords = words === undefined ? said : `${said}: ${words}`;
  if (code >= 300 && code < 400) {
    return new ProviderFailure("broken", "answered with a redirect, and redirects are not followed");
  }
  const kept = { said: words };
  if (code === 429) {
    const reason = "gets too many requests from us";
    return new ProviderFailure("rate-limited", reason, { ...kept, retryAfterSeconds });
  }
  if (code === 402) return new ProviderFailure("refused", "has no credit left for us", { ...kept, outage: "funds" });
  if (code === 408 || code === 504) return new ProviderFailure("timeout", said, kept);
  // What is forbidden may be this one request alone, or this place; who is not known is so for every request.
  const outage = code === 401 ? "credential" : undefined;
  if (code === 401 || code === 403)
    return new ProviderFailure("refused", "refused our credential", { ...kept, outage });
  if (isRejection(code)) {
    const reason = words === undefined ? said : `rejected the request: ${words}`;
    return new ProviderFailure("rejected", reason, { ...kept, blamesEndpoint: false });
  }
  return new ProviderFailure("broken", withWords, { ...kept, retryAfterSeconds });
}

/** Whether a code blames the request itself, rather than our credential, our rate, or the provider's time. */
export function isRejection(code: number): boolean {
  return code >= 400 && code < 500 && ![401, 402, 403, 408, 429].includes(code);
}

/**
 * The words of an error object, fit to be shown: on one line, not long, and without the credential, which some
 * providers repeat when they refuse it. Undefined where there are none.
 */
export function errorMessageOf(error: unknown, credential: Secret | undefined): string | undefined {
  return sanitiseMessage(rawErrorMessage(error), credential);
}

/** The message of an error object, or the error itself where it is a string. */
export function rawErrorMessage(error: unknown): unknown {
  return typeof error === "object" && error !== null && "message" in error ? error.message : error;
}

/** A provider's words, fit to be shown and kept. */
export function sanitiseMessage(message: unknown, credential: Secret | undefined): string | undefined {
  if (typeof message !== "string") return undefined;
  const secret = credential?.reveal() ?? "";
  const clean = message.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  const masked = secret === "" ? clean : clean.replaceAll(secret, "[secret]");
  // Cut between characters, never within one.
  return [...masked.slice(0, 2 * MESSAGE_LENGTH_MAX)].slice(0, MESSAGE_LENGTH_MAX).join("") || undefined;
}

/** What is said of a provider that answers more often than it was asked to. */
export function tooManyAnswersFailure(): ProviderFailure {
  return new ProviderFailure("broken", "gave more answers than were asked for");
}
