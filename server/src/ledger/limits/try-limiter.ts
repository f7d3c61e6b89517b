import { Fault } from "@trunkline/core/fault.ts";
import { EPSILON, type RateWindows, takeTokens, windowIdOf } from "./token-bucket.ts";

/** An account or address that tries, and its tries per minute. */
export interface TrySubject {
  readonly name: string;
  readonly limit: number;
}

/** Limits attempts at guessing a secret, over all instances together. */
export class TryLimiter {
  readonly #windows: RateWindows;

  constructor(windows: RateWindows) {
    this.#windows = windows;
  }

  /** Counts one try for each subject, or refuses it. Each `purpose` is counted by itself. */
  async take(purpose: string, trySubjects: readonly TrySubject[]): Promise<void> {
    for (const { name, limit } of trySubjects) {
      const terms = { limit, burst: limit };
      const { granted, waitMs } = await this.#windows.update(windowIdOf(`${purpose} ${name}`), (known, nowMs) =>
        takeTokens(known, nowMs, terms, { want: 1, useful: 1, ceiling: limit }),
      );
      if (granted > 0) continue;
      const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000 - EPSILON));
      throw new Fault("rate_limited", `That was tried too often. Try again in ${retryAfterSeconds} s.`, {
        retryAfterSeconds,
      });
    }
  }
}
