import type { ApiError } from "./api-error.ts";

/** Longer pauses are the caller's to decide on. */
const LONGEST_PAUSE_SECONDS = 60;

/**
 * Whether the same call may succeed a little later. A provider's failure (502, 504) is not tried again: other models were
 * tried for it already, and under one idempotency key its answer stays the same. Neither is a call that timed out, as its
 * work may go on. What is not safe to run twice is tried again only where it was certainly not begun.
 */
export function mayRetry({ status, type, retryAfterSeconds }: ApiError, isSafeTwice: boolean): boolean {
  if (retryAfterSeconds !== undefined && retryAfterSeconds > LONGEST_PAUSE_SECONDS) return false;
  if (status === 429 || type === "overloaded") return true;
  if (!isSafeTwice) return false;
  if (type === "no_model_available") return retryAfterSeconds !== undefined;
  // What is unreadable comes from a proxy in between.
  if (status === 502 || status === 504) return type === "unreadable";
  return [408, 500, 503].includes(status) || type === "unreachable" || type === "idempotency_in_progress";
}

/** How long to wait before try number `retry` (1 is the first): what the service asks for, else longer each time. Chance keeps clients apart. */
export function retryDelayMs(retry: number, retryAfterSeconds: number | undefined, random = Math.random()): number {
  if (retryAfterSeconds !== undefined) return Math.max(0, retryAfterSeconds) * 1_000 + random * 250;
  return Math.min(8_000, 500 * 2 ** (retry - 1)) * (0.5 + random / 2);
}

/** Waits; an abort ends the wait with its reason. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** An idempotency key that no other call has. `crypto.randomUUID` is missing on plain http pages. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
