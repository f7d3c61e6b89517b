/** How much the past weighs against a new value, at most: the newest of many counts for an eighth. */
const WEIGHT_MAX = 7;
/** From this weight on, a value that is out of line is cut to a factor of the average. */
const SETTLED_WEIGHT = 5;
const LARGEST_LOG_STEP = Math.log(4);
/** What is out of line for the second time in a row, to the same side, is no outlier: it is the new state of things. */
const SHIFT_SHARE = 0.25;
/** What was measured weighs half after so long: an endpoint changes while nobody calls it. */
const WEIGHT_HALF_LIFE_MS = 600_000;

/** What an average is made of, fit to be kept. */
export interface AverageState {
  readonly value: number;
  readonly weight: number;
}

/**
 * An average that follows the recent values and that one outlier can't move far.
 * It averages logarithms: times and throughputs differ by factors, and a cold start is a large one.
 */
export class DecayedAverage {
  #weight = 0;
  #log = 0;
  #value: number | undefined;
  #atMs = 0;
  /** To which side the last value was out of line: 1, -1, or 0 where it was not. */
  #side = 0;

  get value(): number | undefined {
    return this.#value;
  }

  /** What is known, with its weight as it is now. */
  stateAt(nowMs: number): AverageState | undefined {
    return this.#value === undefined ? undefined : { value: this.#value, weight: this.#weightAt(nowMs) };
  }

  /** Takes over what was known elsewhere. */
  restore(state: AverageState | undefined, nowMs: number): void {
    this.#value = state?.value;
    this.#log = Math.log((state?.value ?? 0) + 1);
    this.#weight = Math.min(state?.weight ?? 0, WEIGHT_MAX);
    this.#atMs = nowMs;
    this.#side = 0;
  }

  add(value: number, nowMs: number): void {
    if (!(value >= 0) || value === Number.POSITIVE_INFINITY) return;
    const weight = this.#weightAt(nowMs);
    const step = Math.log(value + 1) - this.#log;
    const side = weight >= SETTLED_WEIGHT && Math.abs(step) > LARGEST_LOG_STEP ? Math.sign(step) : 0;
    if (side === 0) this.#log += step / (weight + 1);
    else if (side === this.#side) this.#log += step * SHIFT_SHARE;
    else this.#log += (side * LARGEST_LOG_STEP) / (weight + 1);
    this.#side = side;
    this.#weight = Math.min(weight + 1, WEIGHT_MAX);
    this.#atMs = nowMs;
    this.#value = Math.exp(this.#log) - 1;
  }

  #weightAt(nowMs: number): number {
    return this.#weight * 2 ** (-(nowMs - this.#atMs) / WEIGHT_HALF_LIFE_MS);
  }
}

/** How much of its weight a call keeps when the next one comes. */
const DECAY_PER_CALL = 0.97;
const HALF_LIFE_MS = 60_000;
/** So many good calls are taken for granted, so that one early failure does not condemn. */
const PRIOR_SUCCESSES = 4;

/** What a rate is made of, fit to be kept. */
export interface RateState {
  readonly failed: number;
  readonly all: number;
}

/** The share of recent calls that failed. It fades with time too: what failed an hour ago deserves a new chance. */
export class DecayedRate {
  #failed = 0;
  #all = 0;
  #atMs = 0;

  add(nowMs: number, failed: boolean): void {
    const kept = this.#decayAt(nowMs) * DECAY_PER_CALL;
    this.#failed = this.#failed * kept + (failed ? 1 : 0);
    this.#all = this.#all * kept + 1;
    this.#atMs = nowMs;
  }

  valueAt(nowMs: number): number {
    if (this.#failed === 0) return 0;
    const kept = this.#decayAt(nowMs);
    return (this.#failed * kept) / (this.#all * kept + PRIOR_SUCCESSES);
  }

  stateAt(nowMs: number): RateState {
    const kept = this.#decayAt(nowMs);
    return { failed: this.#failed * kept, all: this.#all * kept };
  }

  /** Takes over what was known elsewhere. */
  restore({ failed, all }: RateState, nowMs: number): void {
    this.#failed = failed;
    this.#all = all;
    this.#atMs = nowMs;
  }

  #decayAt(nowMs: number): number {
    return 2 ** (-(nowMs - this.#atMs) / HALF_LIFE_MS);
  }
}

/** How many of the last values it is read from. */
const VALUES_MAX = 64;
/** Of fewer nobody can say what the slowest twentieth is. */
const VALUES_MIN = 8;
const QUANTILE = 0.95;

/** What nineteen in twenty of the last values do not exceed. The work is done when a value comes, and none when it is read. */
export class RecentQuantile {
  /** In the order in which they came, from `#next` on once there are enough. */
  readonly #ring: number[] = [];
  #next = 0;
  readonly #sorted: number[] = [];
  #value: number | undefined;

  get value(): number | undefined {
    return this.#value;
  }

  add(value: number): void {
    if (!(value >= 0) || value === Number.POSITIVE_INFINITY) return;
    const oldest = this.#ring[this.#next];
    if (oldest !== undefined) this.#sorted.splice(lowerBound(this.#sorted, oldest), 1);
    this.#ring[this.#next] = value;
    this.#next = (this.#next + 1) % VALUES_MAX;
    this.#sorted.splice(lowerBound(this.#sorted, value), 0, value);
    const count = this.#sorted.length;
    this.#value = count < VALUES_MIN ? undefined : this.#sorted[Math.ceil(count * QUANTILE) - 1];
  }

  /** The oldest first. */
  values(): number[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
  }

  /** Takes over what was known elsewhere. */
  restore(values: readonly number[]): void {
    this.#ring.length = 0;
    this.#sorted.length = 0;
    this.#next = 0;
    this.#value = undefined;
    for (const value of values.slice(-VALUES_MAX)) this.add(value);
  }
}

/** The first place among sorted values that does not hold a smaller one. */
function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

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
