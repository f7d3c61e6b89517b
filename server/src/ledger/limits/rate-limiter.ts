import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { RateLimit } from "@trunkline/core/rate-limit.ts";
import type { RateWindows } from "./rate-windows.ts";
import { EPSILON, WINDOW_MS } from "./take-tokens.ts";
import { TokenLease } from "./token-lease.ts";

const LEASES_MAX = 100_000;

export interface RateLimits {
  readonly requestsPerMinute: number;
  /** How many may come at once before the steady rate holds. */
  readonly burst: number;
}

type ReportState = (state: RateLimit) => void;

/** Admits by small leases on what all instances share, so that hardly any request waits for the store. */
export class RateLimiter {
  readonly #defaults: RateLimits;
  readonly #windows: RateWindows;
  readonly #clock: Clock;
  /** In two halves, so that a look-up moves nothing: what was not used while one filled up is forgotten with the other. */
  #recent = new Map<string, TokenLease>();
  #older = new Map<string, TokenLease>();

  constructor(defaults: RateLimits, windows: RateWindows, clock: Clock) {
    this.#defaults = defaults;
    this.#windows = windows;
    this.#clock = clock;
  }

  /**
   * Stage 3. Takes one token, or refuses and says when to come back. `report` learns the state either way.
   * There is something to wait for only where the store has to be asked; one that is away answers with its own fault.
   */
  admit(caller: Caller, reportState: ReportState): Promise<void> | undefined {
    const lease = this.#leaseOf(caller.keyId, caller.requestsPerMinute ?? this.#defaults.requestsPerMinute);
    const nowMs = this.#clock.monotonicMs();
    if (!lease.trySpend(nowMs)) {
      if (lease.isExhausted(nowMs)) throwRateLimited(lease, nowMs, reportState);
      return this.#admitWhenGranted(lease, reportState);
    }
    reportState(lease.state(nowMs));
    return undefined;
  }

  /** What an answer to nobody in particular says: the default policy, untouched. */
  defaultState(): RateLimit {
    return {
      limit: this.#defaults.requestsPerMinute,
      windowSeconds: WINDOW_MS / 1000,
      left: this.#burstOf(this.#defaults.requestsPerMinute),
      resetSeconds: 0,
    };
  }

  async #admitWhenGranted(lease: TokenLease, reportState: ReportState): Promise<void> {
    const isSpent = await lease.spendWhenGranted();
    const nowMs = this.#clock.monotonicMs();
    if (!isSpent) throwRateLimited(lease, nowMs, reportState);
    reportState(lease.state(nowMs));
  }

  /** A small limit may be used up at once; a large one keeps the default's proportion of burst to rate. */
  #burstOf(limit: number): number {
    const { requestsPerMinute, burst } = this.#defaults;
    return Math.min(limit, Math.max(burst, Math.ceil((limit * burst) / requestsPerMinute)));
  }

  #leaseOf(keyId: string, limit: number): TokenLease {
    const recent = this.#recent.get(keyId);
    if (recent?.terms.limit === limit) return recent;
    const known = recent ?? this.#older.get(keyId);
    // A lease under terms that have changed is worth nothing any more.
    const lease =
      known?.terms.limit === limit
        ? known
        : new TokenLease(keyId, { limit, burst: this.#burstOf(limit) }, this.#windows, this.#clock);
    if (this.#recent.size >= LEASES_MAX / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(keyId, lease);
    return lease;
  }
}

function throwRateLimited(lease: TokenLease, nowMs: number, reportState: ReportState): never {
  reportState({ ...lease.state(nowMs), left: 0 });
  const retryAfterSeconds = Math.max(1, Math.ceil((lease.countRefusal(nowMs) - EPSILON) / 1000));
  throw new Fault(
    "rate_limited",
    `This key may send ${lease.terms.limit} requests a minute. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  );
}
