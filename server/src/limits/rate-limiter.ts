import type { Caller } from "../domain/caller.ts";
import type { RateLimit } from "../domain/rate-limit.ts";
import type { Clock } from "../kit/clock.ts";
import { Fault } from "../kit/fault.ts";

const WINDOW_SECONDS = 60;
const BUCKETS_KEPT = 100_000;
/** Sums of fractions come out a hair below the whole: a token that lacks no more than this is there. */
const HAIR = 1e-6;

export interface RateLimits {
  readonly requestsPerMinute: number;
  /** How many may come at once before the steady rate holds. */
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** A token bucket per key, in memory: nothing is asked of anyone on the request path. */
export class RateLimiter {
  readonly #defaults: RateLimits;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(defaults: RateLimits, clock: Clock) {
    this.#defaults = defaults;
    this.#clock = clock;
  }

  /** Stage 3. Takes one token, or refuses and says when to come back. `report` learns the state either way. */
  admit(caller: Caller, report: (state: RateLimit) => void): void {
    const limit = caller.requestsPerMinute ?? this.#defaults.requestsPerMinute;
    const burst = this.#burstOf(limit);
    const perMs = limit / (WINDOW_SECONDS * 1000);
    const bucket = this.#bucketOf(caller.keyId, burst);
    const now = this.#clock.monotonicMs();
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.filledAtMs) * perMs);
    bucket.filledAtMs = now;

    const admitted = bucket.tokens >= 1 - HAIR;
    if (admitted) bucket.tokens -= 1;
    const untilFullSeconds = Math.ceil((burst - bucket.tokens - HAIR) / perMs / 1000);
    report({
      limit,
      windowSeconds: WINDOW_SECONDS,
      left: Math.max(0, Math.floor(bucket.tokens + HAIR)),
      resetSeconds: untilFullSeconds,
    });
    if (!admitted) {
      const retryAfterSeconds = Math.max(1, Math.ceil((1 - HAIR - bucket.tokens) / perMs / 1000));
      throw new Fault(
        "rate_limited",
        `This key may send ${limit} requests a minute. Try again in ${retryAfterSeconds} s.`,
        {
          retryAfterSeconds,
        },
      );
    }
  }

  /** What an answer to nobody in particular says: the default policy, untouched. */
  untouched(): RateLimit {
    return {
      limit: this.#defaults.requestsPerMinute,
      windowSeconds: WINDOW_SECONDS,
      left: this.#burstOf(this.#defaults.requestsPerMinute),
      resetSeconds: 0,
    };
  }

  /** A small limit may be used up at once; a large one keeps the default's proportion of burst to rate. */
  #burstOf(limit: number): number {
    const { requestsPerMinute, burst } = this.#defaults;
    return Math.min(limit, Math.max(burst, Math.ceil((limit * burst) / requestsPerMinute)));
  }

  #bucketOf(keyId: string, burst: number): Bucket {
    const known = this.#buckets.get(keyId);
    if (known !== undefined) {
      // Put at the end, so that the first is always the longest unused.
      this.#buckets.delete(keyId);
      this.#buckets.set(keyId, known);
      return known;
    }
    if (this.#buckets.size >= BUCKETS_KEPT) {
      // The longest unused key loses its bucket; by then it would be full again anyway.
      const oldest = this.#buckets.keys().next();
      if (!oldest.done) this.#buckets.delete(oldest.value);
    }
    const bucket = { tokens: burst, filledAtMs: this.#clock.monotonicMs() };
    this.#buckets.set(keyId, bucket);
    return bucket;
  }
}
