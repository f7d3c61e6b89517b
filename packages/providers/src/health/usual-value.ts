/** What is usual moves slowly: by this share with each value. */
const NEWEST_SHARE = 1 / 64;
/** From so many values on, one that is out of line is cut to a factor of what is usual. */
const SETTLED_AFTER = 20;
const LARGEST_LOG_STEP = Math.log(2);

/** What a time or a throughput is in the long run, whatever it is at the moment. */
export class LongTermAverage {
  #count = 0;
  #log = 0;

  /** undefined until there are enough to say so. */
  get value(): number | undefined {
    return this.#count < SETTLED_AFTER ? undefined : Math.exp(this.#log) - 1;
  }

  add(value: number): void {
    if (!(value >= 0) || value === Number.POSITIVE_INFINITY) return;
    this.#count++;
    const step = Math.log(value + 1) - this.#log;
    const cut = Math.max(-LARGEST_LOG_STEP, Math.min(LARGEST_LOG_STEP, step));
    this.#log += (this.#count > SETTLED_AFTER ? cut : step) * Math.max(NEWEST_SHARE, 1 / this.#count);
  }
}
