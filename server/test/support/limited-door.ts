import type { RateLimit } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { sampleCaller } from "@trunkline/testing/samples.ts";
import { RateLimiter, type RateLimits } from "../../src/ledger/limits/rate-limiter.ts";
import { MemoryRateWindows } from "./memory-rate-windows.ts";

export const DEFAULT_LIMITS: RateLimits = { requestsPerMinute: 600, burst: 100 };

/** A limiter on a held clock, and one caller who knocks. */
export class LimitedDoor {
  readonly clock: HeldClock;
  readonly windows: MemoryRateWindows;
  readonly limiter: RateLimiter;
  /** The key's own limit. */
  requestsPerMinute: number | undefined;
  /** What the last who knocked was told of where the key stands. */
  state: RateLimit | undefined;

  constructor(requestsPerMinute?: number, defaults = DEFAULT_LIMITS, startMs = 0) {
    this.requestsPerMinute = requestsPerMinute;
    this.clock = new HeldClock(undefined, startMs);
    this.windows = new MemoryRateWindows(this.clock);
    this.limiter = new RateLimiter(defaults, this.windows, this.clock);
  }

  /** undefined when admitted, otherwise in how many seconds to come back. */
  async knock(keyId = "key"): Promise<number | undefined> {
    const caller = sampleCaller({ keyId, requestsPerMinute: this.requestsPerMinute });
    try {
      await this.limiter.admit(caller, (told) => {
        this.state = told;
      });
      return undefined;
    } catch (error) {
      if (!(error instanceof Fault) || error.type !== "rate_limited") throw error;
      return error.details.retryAfterSeconds;
    }
  }

  /** How many of this many are admitted who knock at once, one after the other. */
  async rush(count: number): Promise<number> {
    let admitted = 0;
    for (let i = 0; i < count; i++) if ((await this.knock()) === undefined) admitted += 1;
    return admitted;
  }

  /** Knocks until it is refused. */
  async drain(): Promise<number> {
    for (;;) {
      const wait = await this.knock();
      if (wait !== undefined) return wait;
    }
  }
}
