const FIRST_WAIT_MS = 10_000;
/** With the time that a trial takes: whoever is as before again is back within half a minute. */
const LONGEST_WAIT_MS = 20_000;

/** When an endpoint that does worse than it used to, and that nobody calls for that, is tried by one call as if it were as before. */
export class SecondChance {
  #waitMs = FIRST_WAIT_MS;

  isDue(idleMs: number): boolean {
    return idleMs >= this.#waitMs;
  }

  taken(): void {
    this.#waitMs = FIRST_WAIT_MS;
  }

  missed(): void {
    this.#waitMs = Math.min(2 * this.#waitMs, LONGEST_WAIT_MS);
  }
}
