import { type AverageState, DecayedAverage } from "./statistics.ts";

/** So many times its usual time, or so much less than its usual throughput, is no longer as before. */
const DEGRADED_FACTOR = 1.5;

/** How fast an endpoint is: whole answers, first parts, and tokens in a second. */
interface SpeedMetrics {
  readonly latency: number | undefined;
  readonly firstPart: number | undefined;
  readonly throughput: number | undefined;
}

/** How fast an endpoint is lately, and how fast it is in the long run. */
export class EndpointSpeed {
  readonly #recent = {
    latency: new DecayedAverage(),
    firstPart: new DecayedAverage(),
    throughput: new DecayedAverage(),
  };
  readonly #usual = {
    latency: new LongTermAverage(),
    firstPart: new LongTermAverage(),
    throughput: new LongTermAverage(),
  };

  get recent(): SpeedMetrics {
    const { latency, firstPart, throughput } = this.#recent;
    return { latency: latency.value, firstPart: firstPart.value, throughput: throughput.value };
  }

  get usual(): SpeedMetrics {
    const { latency, firstPart, throughput } = this.#usual;
    return { latency: latency.value, firstPart: firstPart.value, throughput: throughput.value };
  }

  /** The figures of one that is as before, as far as anybody knows what that was. */
  get baseline(): SpeedMetrics {
    const { recent: lately, usual: usually } = this;
    return {
      latency: usually.latency ?? lately.latency,
      firstPart: usually.firstPart ?? lately.firstPart,
      throughput: usually.throughput ?? lately.throughput,
    };
  }

  /**
   * The figures of lately, where calls that run have said nothing for so long. Answers whose first part is late now have
   * not ended yet: by as much as these are late, whole answers will be.
   */
  withOverdueCalls(overdueMs: number): SpeedMetrics {
    const { recent: lately, usual: usually } = this;
    if (lately.firstPart === undefined) return lately;
    const firstPart = Math.max(lately.firstPart, overdueMs);
    const lateMs = firstPart - (usually.firstPart ?? firstPart);
    if (lately.latency === undefined || this.isUsual(firstPart) !== false) return { ...lately, firstPart };
    return { ...lately, firstPart, latency: lately.latency + lateMs };
  }

  add(figure: keyof SpeedMetrics, value: number, nowMs: number): void {
    this.#recent[figure].add(value, nowMs);
    this.#usual[figure].add(value);
  }

  /** Whether it is clearly slower than it used to be. */
  get isDegraded(): boolean {
    const { recent: lately, usual: usually } = this;
    const isAbove = (value: number | undefined, usual: number | undefined) =>
      value !== undefined && usual !== undefined && value > DEGRADED_FACTOR * usual;
    return (
      isAbove(lately.latency, usually.latency) ||
      isAbove(lately.firstPart, usually.firstPart) ||
      isAbove(usually.throughput, lately.throughput)
    );
  }

  /** Whether a first part came as soon as it used to; undefined: nobody knows what is usual. */
  isUsual(firstPartMs: number): boolean | undefined {
    const { firstPart } = this.usual;
    return firstPart === undefined ? undefined : firstPartMs <= DEGRADED_FACTOR * firstPart;
  }

  /** What was measured lately says nothing of it any more. */
  resetToBaseline(nowMs: number): void {
    const { usual: usually } = this;
    for (const figure of ["latency", "firstPart", "throughput"] as const) {
      const value = usually[figure];
      if (value !== undefined) this.#recent[figure].restore({ value, weight: 1 }, nowMs);
    }
  }

  stateAt(figure: keyof SpeedMetrics, nowMs: number): AverageState | undefined {
    return this.#recent[figure].stateAt(nowMs);
  }

  /** Takes over what was known elsewhere. */
  restore(figure: keyof SpeedMetrics, state: AverageState | undefined, nowMs: number): void {
    this.#recent[figure].restore(state, nowMs);
  }
}

/** What is usual moves slowly: by this share with each value. */
const NEWEST_SHARE = 1 / 64;
/** From so many values on, one that is out of line is cut to a factor of what is usual. */
const SETTLED_AFTER = 20;
const LARGEST_LOG_STEP = Math.log(2);

/** What a time or a throughput is in the long run, whatever it is at the moment. */
class LongTermAverage {
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
