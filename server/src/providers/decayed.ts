/** The weight of a new value once there are enough of them. */
const NEWEST_SHARE = 0.1;
/** From this many values on, one that is out of line is cut to a factor of the average. */
const SETTLED_AFTER = 5;
const LARGEST_LOG_STEP = Math.log(4);

/**
 * An average that follows the recent values and that one outlier can't move far.
 * It averages logarithms: times and throughputs differ by factors, and a cold start is a large one.
 */
export class DecayedAverage {
  #count = 0;
  #log = 0;
  #value: number | undefined;

  get value(): number | undefined {
    return this.#value;
  }

  add(value: number): void {
    if (!(value >= 0) || value === Number.POSITIVE_INFINITY) return;
    let step = Math.log(value + 1) - this.#log;
    if (this.#count >= SETTLED_AFTER) {
      step = Math.max(-LARGEST_LOG_STEP, Math.min(LARGEST_LOG_STEP, step));
    }
    this.#count++;
    this.#log += step * Math.max(NEWEST_SHARE, 1 / this.#count);
    this.#value = Math.exp(this.#log) - 1;
  }
}

/** How much of its weight a call keeps when the next one comes. */
const KEPT_PER_CALL = 0.97;
const HALF_LIFE_MS = 60_000;
/** So many good calls are taken for granted, so that one early failure does not condemn. */
const ASSUMED_GOOD = 4;

/** The share of recent calls that failed. It fades with time too: what failed an hour ago deserves a new chance. */
export class DecayedRate {
  #failed = 0;
  #all = 0;
  #atMs = 0;

  add(nowMs: number, failed: boolean): void {
    const kept = this.#keptAt(nowMs) * KEPT_PER_CALL;
    this.#failed = this.#failed * kept + (failed ? 1 : 0);
    this.#all = this.#all * kept + 1;
    this.#atMs = nowMs;
  }

  valueAt(nowMs: number): number {
    if (this.#failed === 0) return 0;
    const kept = this.#keptAt(nowMs);
    return (this.#failed * kept) / (this.#all * kept + ASSUMED_GOOD);
  }

  #keptAt(nowMs: number): number {
    return 2 ** (-(nowMs - this.#atMs) / HALF_LIFE_MS);
  }
}
