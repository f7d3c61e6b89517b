import { setImmediate } from "node:timers/promises";

/** Work that may take long. Wherever it yields, others may have their turn. */
export type Turns<Result> = Generator<void, Result>;

/** Does it while others have their turns in between. */
export async function inTurns<Result>(work: Turns<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await setImmediate();
  }
}

/** Does it in one go, for those who can't wait. */
export function atOnce<Result>(work: Turns<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
