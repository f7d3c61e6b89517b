/** The largest weight of past values against a new one: of many values the newest counts for an eighth. */
const WEIGHT_MAX = 7;
/** From this weight on, an outlier is limited to a factor of the average. */
const SETTLED_WEIGHT = 5;
const LARGEST_LOG_STEP = Math.log(4);
/** A second outlier in a row to the same side is a lasting change: the average moves by this share of it. */
const SHIFT_SHARE = 0.25;
/** Measurements lose half of their weight in this time: an endpoint changes also without calls. */
const WEIGHT_HALF_LIFE_MS = 600_000;

/** A DecayedAverage as it is stored. */
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
  /** The side on which the last value was an outlier: 1, -1, or 0 for none. */
  #side = 0;

  get value(): number | undefined {
    return this.#value;
  }

  /** The average with its weight at this time. */
  stateAt(nowMs: number): AverageState | undefined {
    return this.#value === undefined ? undefined : { value: this.#value, weight: this.#weightAt(nowMs) };
  }

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

/** The share of its weight that a call keeps when the next one is added. */
const DECAY_PER_CALL = 0.97;
const HALF_LIFE_MS = 60_000;
/** The rate starts with this many assumed successes, so that one early failure does not make it high. */
const PRIOR_SUCCESSES = 4;

/** A DecayedRate as it is stored. */
export interface RateState {
  readonly failed: number;
  readonly all: number;
}

/** The share of recent calls that failed. It also decays with time, so that old failures no longer count. */
export class DecayedRate {
  #failed = 0;
  #all = 0;
  #atMs = 0;

  add(nowMs: number, failed: boolean): void {
    const decay = this.#decayAt(nowMs) * DECAY_PER_CALL;
    this.#failed = this.#failed * decay + (failed ? 1 : 0);
    this.#all = this.#all * decay + 1;
    this.#atMs = nowMs;
  }

  valueAt(nowMs: number): number {
    if (this.#failed === 0) return 0;
    const decay = this.#decayAt(nowMs);
    return (this.#failed * decay) / (this.#all * decay + PRIOR_SUCCESSES);
  }

  stateAt(nowMs: number): RateState {
    const decay = this.#decayAt(nowMs);
    return { failed: this.#failed * decay, all: this.#all * decay };
  }

  restore({ failed, all }: RateState, nowMs: number): void {
    this.#failed = failed;
    this.#all = all;
    this.#atMs = nowMs;
  }

  #decayAt(nowMs: number): number {
    return 2 ** (-(nowMs - this.#atMs) / HALF_LIFE_MS);
  }
}

/** How many of the last values the quantile is computed from. */
const VALUES_MAX = 64;
/** Fewer values have no meaningful quantile. */
const VALUES_MIN = 8;
const QUANTILE = 0.95;

/** The p95 of the last values. It is computed when a value is added, as it is read far more often. */
export class RecentQuantile {
  /** The values in the order of their arrival, which starts at `#next` once the ring is full. */
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
    this.#ring[this.#next] = value;
    this.#next = (this.#next + 1) % VALUES_MAX;
    if (oldest === undefined) this.#sorted.push(value);
    moveTo(this.#sorted, oldest === undefined ? this.#sorted.length - 1 : lowerBound(this.#sorted, oldest), value);
    const count = this.#sorted.length;
    this.#value = count < VALUES_MIN ? undefined : this.#sorted[Math.ceil(count * QUANTILE) - 1];
  }

  /** The oldest first. */
  values(): number[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
  }

  restore(values: readonly number[]): void {
    this.#ring.length = 0;
    this.#sorted.length = 0;
    this.#next = 0;
    this.#value = undefined;
    for (const value of values.slice(-VALUES_MAX)) this.add(value);
  }
}

/** Replaces the value at a place of a sorted list by another one, which is moved to its own place. */
function moveTo(sorted: number[], place: number, value: number): void {
  let at = place;
  for (; at > 0 && (sorted[at - 1] ?? 0) > value; at--) sorted[at] = sorted[at - 1] ?? 0;
  for (; at + 1 < sorted.length && (sorted[at + 1] ?? 0) < value; at++) sorted[at] = sorted[at + 1] ?? 0;
  sorted[at] = value;
}

/** The first index whose value is not smaller. */
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
/** With fewer calls, or with nearly the same concurrency for all of them, there is no slope. */
const SLOPE_CALLS_MIN = 8;
const VARIANCE_MIN = 0.25;
/** Limits a slow answer, so that it does not look like a queue. */
const OUTLIER_FACTOR = 4;

/** Estimates how the time to the first part grows with the calls in flight: a regression line through recent calls. */
export class QueueDelayEstimator {
  #calls = 0;
  #meanConcurrency = 0;
  #meanMs = 0;
  #variance = 0;
  #covariance = 0;

  /** Adds a call's time to the first part, with the number of other calls in flight at its start. */
  add(concurrentCalls: number, ms: number): void {
    this.#calls++;
    const share = Math.max(1 - SLOPE_DECAY_PER_CALL, 1 / this.#calls);
    const deviation = concurrentCalls - this.#meanConcurrency;
    const deviationMs = (this.#calls > 1 ? Math.min(ms, this.#meanMs * OUTLIER_FACTOR) : ms) - this.#meanMs;
    this.#meanConcurrency += deviation * share;
    this.#meanMs += deviationMs * share;
    // The deviations from the means decay as the means do.
    this.#variance += (deviation * deviation * (1 - share) - this.#variance) * share;
    this.#covariance += (deviation * deviationMs * (1 - share) - this.#covariance) * share;
  }

  /** How much longer than usual a call will wait beside this many others; 0 if they never made a difference. */
  waitMs(concurrentCalls: number): number {
    if (this.#calls < SLOPE_CALLS_MIN || this.#variance < VARIANCE_MIN || this.#covariance <= 0) return 0;
    return Math.max(0, (concurrentCalls - this.#meanConcurrency) * (this.#covariance / this.#variance));
  }
}
