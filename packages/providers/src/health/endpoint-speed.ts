import { type AverageState, DecayedAverage } from "./statistics.ts";

/** An endpoint is degraded beyond this factor of its usual time, or below its usual throughput by the same factor. */
const DEGRADED_FACTOR = 1.5;

/** The speed of an endpoint: milliseconds to whole answers and first parts, and tokens per second. */
interface SpeedMetrics {
  readonly latency: number | undefined;
  readonly firstPart: number | undefined;
  readonly throughput: number | undefined;
}

/** The recent speed of an endpoint, and its speed in the long run. */
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

  /** The usual speed, or the recent one as long as the usual one is unknown. */
  get baseline(): SpeedMetrics {
    const { recent, usual } = this;
    return {
      latency: usual.latency ?? recent.latency,
      firstPart: usual.firstPart ?? recent.firstPart,
      throughput: usual.throughput ?? recent.throughput,
    };
  }

  /**
   * The recent speed while calls in flight have waited this long for their first part. Their answers have not ended
   * yet: whole answers will be late by as much as the first parts are.
   */
  withOverdueCalls(overdueMs: number): SpeedMetrics {
    const latency = this.#recent.latency.value;
    const recentFirstPart = this.#recent.firstPart.value;
    const throughput = this.#recent.throughput.value;
    if (recentFirstPart === undefined) return { latency, firstPart: undefined, throughput };
    const firstPart = Math.max(recentFirstPart, overdueMs);
    const usualFirstPart = this.#usual.firstPart.value;
    if (latency === undefined || usualFirstPart === undefined || firstPart <= DEGRADED_FACTOR * usualFirstPart)
      return { latency, firstPart, throughput };
    return { latency: latency + (firstPart - usualFirstPart), firstPart, throughput };
  }

  add(metric: keyof SpeedMetrics, value: number, nowMs: number): void {
    this.#recent[metric].add(value, nowMs);
    this.#usual[metric].add(value);
  }

  /** Whether the endpoint is clearly slower than usual. */
  get isDegraded(): boolean {
    const { recent, usual } = this;
    const isAbove = (value: number | undefined, reference: number | undefined) =>
      value !== undefined && reference !== undefined && value > DEGRADED_FACTOR * reference;
    return (
      isAbove(recent.latency, usual.latency) ||
      isAbove(recent.firstPart, usual.firstPart) ||
      isAbove(usual.throughput, recent.throughput)
    );
  }

  /** Whether a first part came as soon as usual; undefined: the usual time is unknown. */
  isUsual(firstPartMs: number): boolean | undefined {
    const firstPart = this.#usual.firstPart.value;
    return firstPart === undefined ? undefined : firstPartMs <= DEGRADED_FACTOR * firstPart;
  }

  /** Replaces the recent speed by the usual one. */
  resetToBaseline(nowMs: number): void {
    const { usual } = this;
    for (const metric of ["latency", "firstPart", "throughput"] as const) {
      const value = usual[metric];
      if (value !== undefined) this.#recent[metric].restore({ value, weight: 1 }, nowMs);
    }
  }

  stateAt(metric: keyof SpeedMetrics, nowMs: number): AverageState | undefined {
    return this.#recent[metric].stateAt(nowMs);
  }

  restore(metric: keyof SpeedMetrics, state: AverageState | undefined, nowMs: number): void {
    this.#recent[metric].restore(state, nowMs);
  }
}

/** The long-term average moves slowly: by this share with each value. */
const NEWEST_SHARE = 1 / 64;
/** From this many values on, an outlier is limited to a factor of the average. */
const SETTLED_AFTER = 20;
const LARGEST_LOG_STEP = Math.log(2);

/** What a time or a throughput is in the long run. */
class LongTermAverage {
  #count = 0;
  #log = 0;
  /** Computed when it is first read after a change. */
  #value: number | undefined;

  /** undefined until there are enough values. */
  get value(): number | undefined {
    if (this.#count < SETTLED_AFTER) return undefined;
    this.#value ??= Math.exp(this.#log) - 1;
    return this.#value;
  }

  add(value: number): void {
    if (!(value >= 0) || value === Number.POSITIVE_INFINITY) return;
    this.#count++;
    this.#value = undefined;
    const step = Math.log(value + 1) - this.#log;
    const cut = Math.max(-LARGEST_LOG_STEP, Math.min(LARGEST_LOG_STEP, step));
    this.#log += (this.#count > SETTLED_AFTER ? cut : step) * Math.max(NEWEST_SHARE, 1 / this.#count);
  }
}
