import { type AverageState, DecayedAverage } from "./decayed.ts";
import { UsualValue } from "./usual-value.ts";

/** So many times its usual time, or so much less than its usual throughput, is no longer as before. */
const WORSE = 1.5;

/** How fast an endpoint is: whole answers, first parts, and tokens in a second. */
export interface PaceFigures {
  readonly latency: number | undefined;
  readonly firstPart: number | undefined;
  readonly throughput: number | undefined;
}

/** How fast an endpoint is lately, and how fast it is in the long run. */
export class EndpointPace {
  readonly #lately = {
    latency: new DecayedAverage(),
    firstPart: new DecayedAverage(),
    throughput: new DecayedAverage(),
  };
  readonly #usually = {
    latency: new UsualValue(),
    firstPart: new UsualValue(),
    throughput: new UsualValue(),
  };

  get lately(): PaceFigures {
    const { latency, firstPart, throughput } = this.#lately;
    return { latency: latency.value, firstPart: firstPart.value, throughput: throughput.value };
  }

  get usually(): PaceFigures {
    const { latency, firstPart, throughput } = this.#usually;
    return { latency: latency.value, firstPart: firstPart.value, throughput: throughput.value };
  }

  /** The figures of one that is as before, as far as anybody knows what that was. */
  get asBefore(): PaceFigures {
    const { lately, usually } = this;
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
  withOverdue(overdueMs: number): PaceFigures {
    const { lately, usually } = this;
    if (lately.firstPart === undefined) return lately;
    const firstPart = Math.max(lately.firstPart, overdueMs);
    const lateMs = firstPart - (usually.firstPart ?? firstPart);
    if (lately.latency === undefined || this.isUsual(firstPart) !== false) return { ...lately, firstPart };
    return { ...lately, firstPart, latency: lately.latency + lateMs };
  }

  add(figure: keyof PaceFigures, value: number, nowMs: number): void {
    this.#lately[figure].add(value, nowMs);
    this.#usually[figure].add(value);
  }

  /** Whether it is clearly slower than it used to be. */
  get isWorse(): boolean {
    const { lately, usually } = this;
    const isAbove = (value: number | undefined, usual: number | undefined) =>
      value !== undefined && usual !== undefined && value > WORSE * usual;
    return (
      isAbove(lately.latency, usually.latency) ||
      isAbove(lately.firstPart, usually.firstPart) ||
      isAbove(usually.throughput, lately.throughput)
    );
  }

  /** Whether a first part came as soon as it used to; undefined: nobody knows what is usual. */
  isUsual(firstPartMs: number): boolean | undefined {
    const { firstPart } = this.usually;
    return firstPart === undefined ? undefined : firstPartMs <= WORSE * firstPart;
  }

  /** What was measured lately says nothing of it any more. */
  isAsBefore(nowMs: number): void {
    const { usually } = this;
    for (const figure of ["latency", "firstPart", "throughput"] as const) {
      const value = usually[figure];
      if (value !== undefined) this.#lately[figure].restore({ value, weight: 1 }, nowMs);
    }
  }

  stateAt(figure: keyof PaceFigures, nowMs: number): AverageState | undefined {
    return this.#lately[figure].stateAt(nowMs);
  }

  /** Takes over what was known elsewhere. */
  restore(figure: keyof PaceFigures, state: AverageState | undefined, nowMs: number): void {
    this.#lately[figure].restore(state, nowMs);
  }
}
