import { setImmediate } from "node:timers/promises";

/** Work that stops now and then, where others may have their turn. What comes of it depends on no stop. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** A text that is shorter is gone through before a stop would be worth anything. */
export const STEP_CHARACTERS = 1024;
/** After so long others have their turn at the next stop. With a step that takes its time that is less than half of what they may wait. */
const TURN_MS = 1;

/** Goes through all of it without a stop. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The time since others had their turn, of all that is done for one of them. */
export class Turn {
  readonly #now: () => number;
  #since: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#since = now();
  }

  /** Lets others have theirs. */
  async pass(): Promise<void> {
    await setImmediate();
    this.#since = this.#now();
  }

  /** Goes through it, and lets others have their turn whenever enough time has passed, also with what was done before. */
  async take<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      const step = steps.next();
      if (this.#now() - this.#since >= TURN_MS) await this.pass();
      if (step.done === true) return step.value;
    }
  }
}
