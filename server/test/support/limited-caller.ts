import type { RateLimit } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { sampleCaller } from "@trunkline/testing/samples.ts";
import { RateLimiter, type RateLimits } from "../../src/ledger/limits/rate-limiter.ts";
import { MemoryRateWindows } from "./memory-rate-windows.ts";

export const DEFAULT_LIMITS: RateLimits = { requestsPerMinute: 600, burst: 100 };

/** A limiter on a held clock, and one caller who requests. */
export class LimitedCaller {
  readonly clock: ManualClock;
  readonly windows: MemoryRateWindows;
  readonly limiter: RateLimiter;
  /** The key's own limit. */
  requestsPerMinute: number | undefined;
  /** The state of the key's limit that the last request was given. */
  rateLimit: RateLimit | undefined;

  constructor(requestsPerMinute?: number, defaults = DEFAULT_LIMITS, startMs = 0) {
    this.requestsPerMinute = requestsPerMinute;
    this.clock = new ManualClock(undefined, startMs);
    this.windows = new MemoryRateWindows(this.clock);
    this.limiter = new RateLimiter(defaults, this.windows, this.clock);
  }

  /** Returns undefined when admitted, otherwise the seconds after which to retry. */
  async request(keyId = "key"): Promise<number | undefined> {
    const caller = sampleCaller({ keyId, requestsPerMinute: this.requestsPerMinute });
    try {
      await this.limiter.admit(caller, this);
      return undefined;
    } catch (error) {
      if (!(error instanceof Fault) || error.type !== "rate_limited") throw error;
      return error.details.retryAfterSeconds;
    }
  }

  /** Sends this number of requests, one after the other, and returns how many were admitted. */
  async rush(count: number): Promise<number> {
    let admitted = 0;
    for (let i = 0; i < count; i++) if ((await this.request()) === undefined) admitted += 1;
    return admitted;
  }

  /** Sends requests until one is refused. */
  async drain(): Promise<number> {
    for (;;) {
      const wait = await this.request();
      if (wait !== undefined) return wait;
    }
  }
}
