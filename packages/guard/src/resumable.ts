import { setImmediate } from "node:timers/promises";

/** Work that pauses at `yield` so that other requests can run. The result does not depend on the pauses. */
export type Resumable<Result> = Generator<undefined, Result, undefined>;

/** Shorter texts are done before a pause would help. */
export const RESUMABLE_MIN_CHARACTERS = 1024;
/**
 * After this time the next pause yields to the event loop. Including one slow step, this is less than half of the delay
 * that other requests tolerate.
 */
const TIME_SLICE_MS = 1;

/** Runs all steps without a pause. */
export function runToEnd<Result>(resumable: Resumable<Result>): Result {
  for (;;) {
    const step = resumable.next();
    if (step.done === true) return step.value;
  }
}

/** Measures the time since one request last yielded to the event loop, across all of its work. */
export class TimeSlice {
  readonly #now: () => number;
  #since: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#since = now();
  }

  async yieldToEventLoop(): Promise<void> {
    await setImmediate();
    this.#since = this.#now();
  }

  /**
   * Runs all steps and yields to the event loop whenever the time slice is used up. Time spent before this call counts
   * too.
   */
  async run<Result>(resumable: Resumable<Result>): Promise<Result> {
    for (;;) {
      const step = resumable.next();
      if (this.#now() - this.#since >= TIME_SLICE_MS) await this.yieldToEventLoop();
      if (step.done === true) return step.value;
    }
  }
}
