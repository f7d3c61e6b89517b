import type { Clock } from "@trunkline/core/clock.ts";
import type { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { DialFailure } from "../dialer/dial-request.ts";

const BACKOFF_MS_BASE = 200;
const BACKOFF_MS_MAX = 2_000;

/** Whether the same endpoint may well answer a moment later. What it rejects it rejects again, and what took long takes long. */
export function isTransient(failure: ProviderFailure): boolean {
  if (shouldBackOff(failure)) return false;
  const { kind, cause } = failure;
  return kind === "broken" || (cause instanceof DialFailure && cause.kind === "refused");
}

/** Whether it serves nobody until somebody does something about it, or has asked for a pause. */
export function shouldBackOff({ outage, retryAfterSeconds }: ProviderFailure): boolean {
  return outage !== undefined || retryAfterSeconds !== undefined;
}

/** How long to wait before the same endpoint is called again: anything up to a limit, so that many do not come at once. */
export function fullJitterMs(attempt: number, random: () => number): number {
  return random() * Math.min(BACKOFF_MS_MAX, BACKOFF_MS_BASE * 2 ** attempt);
}

/** What each request puts in: further attempts are at most a tenth of the load. */
const RETRIES_PER_REQUEST = 0.1;
/**
 * The most that is saved up. When a provider dies, all calls that run there fail before anybody knows it: each of them
 * must find its way to another, and whoever asks more has more of them running.
 */
const RETRIES_MAX = 100;
/** What a new account begins with. */
const INITIAL_RETRIES = 25;
/** An account that asks seldom can fail over all the same: so much comes back by itself, up to the floor. */
const RETRIES_FLOOR = 2;
const FLOOR_REFILL_MS = 5_000;
/** Accounts beyond it are forgotten, the longest unseen first, and begin anew when they come back. */
const ACCOUNTS_MAX = 10_000;

interface Bucket {
  left: number;
  seenMs: number;
}

/** How many further attempts each account's requests may make, so that a provider in trouble is not called even more. */
export class RetryBudget {
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** The longest unseen first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** A request of this account has come. */
  noteRequest(accountId: string): void {
    const bucket = this.#bucketOf(accountId);
    bucket.left = Math.min(RETRIES_MAX, bucket.left + RETRIES_PER_REQUEST);
  }

  /** Takes one further attempt; false where none is left, and the failure is final. */
  take(accountId: string): boolean {
    const bucket = this.#bucketOf(accountId);
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  }

  #bucketOf(accountId: string): Bucket {
    const nowMs = this.#clock.monotonicMs();
    const bucket = this.#buckets.get(accountId) ?? { left: INITIAL_RETRIES, seenMs: nowMs };
    const refilled = bucket.left + (nowMs - bucket.seenMs) / FLOOR_REFILL_MS;
    bucket.left = Math.max(bucket.left, Math.min(RETRIES_FLOOR, refilled));
    bucket.seenMs = nowMs;
    this.#buckets.delete(accountId);
    this.#buckets.set(accountId, bucket);
    if (this.#buckets.size > ACCOUNTS_MAX) this.#forgetOldest();
    return bucket;
  }

  #forgetOldest(): void {
    for (const accountId of this.#buckets.keys()) {
      this.#buckets.delete(accountId);
      return;
    }
  }
}
