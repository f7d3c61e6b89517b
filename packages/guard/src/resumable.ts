import { setImmediate } from "node:timers/promises";

/** Work that stops now and then, where others may have their turn. What comes of it depends on no stop. */
export type Resumable<Result> = Generator<undefined, Result, undefined>;

/** A text that is shorter is gone through before a stop would be worth anything. */
export const RESUMABLE_MIN_CHARACTERS = 1024;
/** After so long others have their turn at the next stop. With a step that takes its time that is less than half of what they may wait. */
const TIME_SLICE_MS = 1;

/** Goes through all of it without a stop. */
export function runToEnd<Result>(resumable: Resumable<Result>): Result {
  for (;;) {
    const step = resumable.next();
    if (step.done === true) return step.value;
  }
}

/** The time since others had their turn, of all that is done for one of them. */
export class TimeSlice {
  readonly #now: () => number;
  #since: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#since = now();
  }

  /** Lets others have theirs. */
  async yieldToEventLoop(): Promise<void> {
    await setImmediate();
    this.#since = this.#now();
  }

  /** Goes through it, and lets others have their turn whenever enough time has passed, also with what was done before. */
  async run<Result>(resumable: Resumable<Result>): Promise<Result> {
    for (;;) {
      const step = resumable.next();
      if (this.#now() - this.#since >= TIME_SLICE_MS) await this.yieldToEventLoop();
      if (step.done === true) return step.value;
    }
  }
}
