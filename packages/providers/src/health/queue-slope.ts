const SLOPE_DECAY_PER_CALL = 0.97;
/** Below this many calls, or where nearly all ran beside equally many, there is nothing to see. */
const SLOPE_CALLS_MIN = 8;
const VARIANCE_MIN = 0.25;
/** One slow answer must not look like a queue. */
const OUTLIER_FACTOR = 4;

/** How the time to the first part grows with the calls that are in flight: a line through the recent calls. */
export class QueueDelayEstimator {
  #calls = 0;
  #meanConcurrency = 0;
  #meanMs = 0;
  #variance = 0;
  #covariance = 0;

  /** A call that began beside so many others took so long to its first part. */
  add(beside: number, ms: number): void {
    this.#calls++;
    const share = Math.max(1 - SLOPE_DECAY_PER_CALL, 1 / this.#calls);
    const aside = beside - this.#meanConcurrency;
    const late = (this.#calls > 1 ? Math.min(ms, this.#meanMs * OUTLIER_FACTOR) : ms) - this.#meanMs;
    this.#meanConcurrency += aside * share;
    this.#meanMs += late * share;
    // Of deviations from the means, each decayed as the means are.
    this.#variance += (aside * aside * (1 - share) - this.#variance) * share;
    this.#covariance += (aside * late * (1 - share) - this.#covariance) * share;
  }

  /** How much longer than usual a call will wait that begins beside so many others. 0 where they never mattered. */
  waitMs(beside: number): number {
    if (this.#calls < SLOPE_CALLS_MIN || this.#variance < VARIANCE_MIN || this.#covariance <= 0) return 0;
    return Math.max(0, (beside - this.#meanConcurrency) * (this.#covariance / this.#variance));
  }
}
