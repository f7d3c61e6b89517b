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
