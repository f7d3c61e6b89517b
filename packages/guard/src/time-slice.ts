import { setImmediate } from "node:timers/promises";

/** Including the piece that exceeds it, this is well below the delay that other requests tolerate. */
const TIME_SLICE_MS = 2;

function monotonicMs(): number {
  return performance.now();
}

/**
 * Measures the time since one request last yielded to the event loop. Long texts are examined in pieces, each without a
 * pause; between two pieces the request yields if its time slice is used up.
 */
export class TimeSlice {
  readonly #now: () => number;
  #since: number;

  constructor(now: () => number = monotonicMs) {
    this.#now = now;
    this.#since = now();
  }

  get isUsedUp(): boolean {
    return this.#now() - this.#since >= TIME_SLICE_MS;
  }

  async yieldToEventLoop(): Promise<void> {
    await setImmediate();
    this.#since = this.#now();
  }
}
