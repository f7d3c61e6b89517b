/** So many slow answers in a row make an endpoint slow. */
export const CONSECUTIVE_SLOW = 5;
const SLOW_FACTOR = 5;
const SLOW_MS_MIN = 3_000;
/** Also so much above what its slowest answers take: who thinks long now and then is not slow when it does. */
const ABOVE_P95_FACTOR = 1.5;
/** Without so many answers there is no usual time to compare with. */
const SETTLED_AFTER = 20;
/** What is usual moves slowly: by this share with each answer. */
const NEWEST_SHARE = 1 / 64;
const LARGEST_LOG_STEP = Math.log(2);

/** What an endpoint's usual time is known from, fit to be kept. */
export interface BaselineTime {
  readonly ms: number;
  readonly answers: number;
}

/** Sees whether an endpoint has become slow, compared with its own past and with nobody else's. */
export class SlowdownDetector {
  #answers = 0;
  #log = 0;
  #consecutiveSlow = 0;
  /** What its slowest answers took before those in a row. */
  #worstMs = 0;

  /** Notes an answer's time to its first part; true where it is the last of several that were far too slow. */
  add(ms: number, p95Ms: number | undefined): boolean {
    if (this.#consecutiveSlow === 0) this.#worstMs = p95Ms ?? 0;
    this.#consecutiveSlow = this.isSlow(ms) ? this.#consecutiveSlow + 1 : 0;
    const step = Math.log(ms + 1) - this.#log;
    if (this.#consecutiveSlow >= CONSECUTIVE_SLOW) {
      // Half of the way: what stays so is its usual time soon, and is no reason to be left alone for ever.
      this.#log += step / 2;
      this.#consecutiveSlow = 0;
      return true;
    }
    this.#answers++;
    const share = Math.max(NEWEST_SHARE, 1 / this.#answers);
    const cut = Math.max(-LARGEST_LOG_STEP, Math.min(LARGEST_LOG_STEP, step));
    this.#log += (this.#answers > SETTLED_AFTER ? cut : step) * share;
    return false;
  }

  /** Whether an answer was far slower than is usual here. */
  isSlow(ms: number): boolean {
    if (this.#answers < SETTLED_AFTER || ms < SLOW_MS_MIN) return false;
    return ms >= SLOW_FACTOR * (Math.exp(this.#log) - 1) && ms >= ABOVE_P95_FACTOR * this.#worstMs;
  }

  state(): BaselineTime {
    return { ms: Math.exp(this.#log) - 1, answers: this.#answers };
  }

  /** Takes over what was known elsewhere. */
  restore({ ms, answers }: BaselineTime): void {
    this.#log = Math.log(ms + 1);
    this.#answers = answers;
    this.#consecutiveSlow = 0;
  }
}
