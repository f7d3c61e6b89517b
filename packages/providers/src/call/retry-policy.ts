import type { Clock } from "@trunkline/core/clock.ts";
import { LruMap } from "@trunkline/core/lru-map.ts";
import type { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { DialFailure } from "../dialer/dial-request.ts";

const BACKOFF_MS_BASE = 200;
const BACKOFF_MS_MAX = 2_000;

/** Whether the same endpoint may well answer a moment later. A rejection or a timeout is likely to repeat. */
export function isTransient(failure: ProviderFailure): boolean {
  if (shouldBackOff(failure)) return false;
  const { kind, cause } = failure;
  return kind === "broken" || kind === "overloaded" || (cause instanceof DialFailure && cause.kind === "refused");
}

/** Whether the endpoint has an outage that only its owner can end, or has asked for a pause. */
export function shouldBackOff({ outage, retryAfterSeconds }: ProviderFailure): boolean {
  return outage !== undefined || retryAfterSeconds !== undefined;
}

/** The delay before the same endpoint is called again, random so that many clients do not retry at once. */
export function fullJitterMs(attempt: number, random: () => number): number {
  return random() * Math.min(BACKOFF_MS_MAX, BACKOFF_MS_BASE * 2 ** attempt);
}

/** What each request adds to the budget: retries are at most a tenth of the load. */
const RETRIES_PER_REQUEST = 0.1;
/**
 * The largest budget. When a provider fails, all its calls in flight fail before its breaker opens. Each of them needs
 * a retry, and an account with more requests has more of them in flight.
 */
const RETRIES_MAX = 100;
/** The budget of a new account. */
const INITIAL_RETRIES = 25;
/** The budget refills up to this floor by itself, so that an account with few requests can fail over, too. */
const RETRIES_FLOOR = 2;
const FLOOR_REFILL_MS = 5_000;
/** Beyond this number the least recently seen accounts are dropped, and start as new accounts when they come back. */
const ACCOUNTS_MAX = 10_000;

interface Bucket {
  left: number;
  seenMs: number;
}

/** Limits the retries of each account, so that a failing provider does not get even more calls. */
export class RetryBudget {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #buckets = new LruMap<string, Bucket>(ACCOUNTS_MAX);

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Counts a request of this account. */
  noteRequest(accountId: string): void {
    const bucket = this.#bucketOf(accountId);
    bucket.left = Math.min(RETRIES_MAX, bucket.left + RETRIES_PER_REQUEST);
  }

  /** Takes one retry; false if none is left, so that the failure is final. */
  take(accountId: string): boolean {
    const bucket = this.#bucketOf(accountId);
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  }

  #bucketOf(accountId: string): Bucket {
    const nowMs = this.#clock.monotonicMs();
    let bucket = this.#buckets.get(accountId);
    if (bucket === undefined) {
      bucket = { left: INITIAL_RETRIES, seenMs: nowMs };
      this.#buckets.set(accountId, bucket);
    }
    const refilled = bucket.left + (nowMs - bucket.seenMs) / FLOOR_REFILL_MS;
    bucket.left = Math.max(bucket.left, Math.min(RETRIES_FLOOR, refilled));
    bucket.seenMs = nowMs;
    return bucket;
  }
}
