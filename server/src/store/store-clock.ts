import type { Clock } from "@trunkline/core/clock.ts";
import { type Queryable, STORE_TIME, type StoreTimeSample } from "./database/database.ts";

/** How fast the time is brought to the store's: a second takes ten. */
const SLEW = 0.1;
/** A time that is further behind than this, as after a machine slept, is set forward at once. */
const STEP_MS = 1_000;
/** The time is brought to the store's by the best sample of this time. */
const WINDOW_MS = 60_000;

/**
 * The store's time, kept between looks at it by the machine's monotonic clock: all instances of one store agree on
 * periods and on the order of records, whatever their machines' clocks say. It never goes back.
 */
export class StoreClock implements Clock {
  readonly #own: Clock;
  /** What the monotonic clock is added to. */
  #base: number;
  /** What is still to be added to the base, little by little. */
  #pending = 0;
  #slewedMs: number;
  #last = 0;
  #best: StoreTimeSample | undefined;
  #windowStartMs: number;
  #skewMs: number | undefined;

  constructor(own: Clock) {
    this.#own = own;
    this.#slewedMs = own.monotonicMs();
    this.#windowStartMs = this.#slewedMs;
    this.#base = own.now() - this.#slewedMs;
  }

  /** By how much the machine's clock is ahead of the store's, in milliseconds; undefined: it has not been measured. */
  get skewMs(): number | undefined {
    return this.#skewMs;
  }

  now(): number {
    const nowMs = this.#own.monotonicMs();
    if (this.#pending !== 0) this.#slew(nowMs);
    const time = Math.floor(this.#base + nowMs);
    if (time > this.#last) this.#last = time;
    return this.#last;
  }

  monotonicMs(): number {
    return this.#own.monotonicMs();
  }

  /** Sets the time to the store's. Only before anything was recorded: it may go back. */
  async set(database: Queryable): Promise<void> {
    const samples: StoreTimeSample[] = [];
    // The first may wait for a connection.
    for (let count = 0; count < 3; count++) {
      const sentMs = this.#own.monotonicMs();
      const [row] = await database.query<{ time: number }>(`SELECT ${STORE_TIME}`);
      samples.push({ sentMs, answeredMs: this.#own.monotonicMs(), storeTime: row?.time ?? this.#own.now() });
    }
    const best = samples.reduce((first, second) => (roundTripMs(second) < roundTripMs(first) ? second : first));
    this.#measure(best);
    const offset = this.#offsetBy(best);
    // Within the uncertainty the machine's own clock is as good.
    if (Math.abs(offset) > roundTripMs(best) / 2) this.#base += offset;
    this.#last = 0;
  }

  /** Takes a sample. Once a minute the best one counts. Returns whether it was now. */
  observe(sample: StoreTimeSample): boolean {
    if (this.#best === undefined || roundTripMs(sample) < roundTripMs(this.#best)) this.#best = sample;
    if (sample.answeredMs - this.#windowStartMs < WINDOW_MS) return false;
    const best = this.#best;
    this.#best = undefined;
    this.#windowStartMs = sample.answeredMs;
    this.#measure(best);
    this.#slew(sample.answeredMs);
    const offset = this.#offsetBy(best);
    this.#pending = Math.abs(offset) > roundTripMs(best) / 2 ? offset : 0;
    if (this.#pending > STEP_MS) {
      this.#base += this.#pending;
      this.#pending = 0;
    }
    return true;
  }

  #measure(sample: StoreTimeSample): void {
    const nowMs = this.#own.monotonicMs();
    this.#skewMs = this.#own.now() - (nowMs - middleMs(sample)) - sample.storeTime;
  }

  /** By how much the store's time is ahead of ours. */
  #offsetBy(sample: StoreTimeSample): number {
    return sample.storeTime - (this.#base + middleMs(sample));
  }

  #slew(nowMs: number): void {
    const most = (nowMs - this.#slewedMs) * SLEW;
    this.#slewedMs = nowMs;
    const step = Math.min(Math.max(this.#pending, -most), most);
    this.#base += step;
    this.#pending -= step;
  }
}

function roundTripMs({ sentMs, answeredMs }: StoreTimeSample): number {
  return answeredMs - sentMs;
}

/** The store looks at its clock in the middle of the round trip, as far as can be known. */
function middleMs({ sentMs, answeredMs }: StoreTimeSample): number {
  return (sentMs + answeredMs) / 2;
}
