const KEPT_PER_CALL = 0.97;
/** Below this many calls, or where nearly all ran beside equally many, there is nothing to see. */
const FEWEST_CALLS = 8;
const LEAST_SPREAD = 0.25;
/** One slow answer must not look like a queue. */
const LARGEST_FACTOR = 4;

/** How the time to the first part grows with the calls that are in flight: a line through the recent calls. */
export class QueueSlope {
  #calls = 0;
  #beside = 0;
  #ms = 0;
  #spread = 0;
  #together = 0;

  /** A call that began beside so many others took so long to its first part. */
  add(beside: number, ms: number): void {
    this.#calls++;
    const share = Math.max(1 - KEPT_PER_CALL, 1 / this.#calls);
    const aside = beside - this.#beside;
    const late = (this.#calls > 1 ? Math.min(ms, this.#ms * LARGEST_FACTOR) : ms) - this.#ms;
    this.#beside += aside * share;
    this.#ms += late * share;
    // Of deviations from the means, each decayed as the means are.
    this.#spread += (aside * aside * (1 - share) - this.#spread) * share;
    this.#together += (aside * late * (1 - share) - this.#together) * share;
  }

  /** How much longer than usual a call will wait that begins beside so many others. 0 where they never mattered. */
  waitMs(beside: number): number {
    if (this.#calls < FEWEST_CALLS || this.#spread < LEAST_SPREAD || this.#together <= 0) return 0;
    return Math.max(0, (beside - this.#beside) * (this.#together / this.#spread));
  }
}
