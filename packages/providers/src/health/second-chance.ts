const TRIAL_WAIT_MS_FIRST = 10_000;
/** With the time that a trial takes: whoever is as before again is back within half a minute. */
const TRIAL_WAIT_MS_MAX = 20_000;

/** When an endpoint that does worse than it used to, and that nobody calls for that, is tried by one call as if it were as before. */
export class TrialBackoff {
  #waitMs = TRIAL_WAIT_MS_FIRST;

  isDue(idleMs: number): boolean {
    return idleMs >= this.#waitMs;
  }

  reset(): void {
    this.#waitMs = TRIAL_WAIT_MS_FIRST;
  }

  extend(): void {
    this.#waitMs = Math.min(2 * this.#waitMs, TRIAL_WAIT_MS_MAX);
  }
}
