import type { Clock } from "@trunkline/core/clock.ts";
import type { CallListener } from "./endpoint-health.ts";
import {
  addTotals,
  type BucketTotals,
  type CallMeasurement,
  type EndpointStatsStore,
  type EndpointTotals,
  NO_TOTALS,
  ONE_FAILED_CALL,
  QUARTER_HOUR_MS,
  quarterHourStart,
  totalsOfAnswer,
} from "./endpoint-totals.ts";

const HOUR_MS = 4 * QUARTER_HOUR_MS;
const DAY_MS = 24 * HOUR_MS;
/** Those who look at the same moment share one look-up. */
const FRESH_MS = 5_000;

/** One stretch of an endpoint's last day. */
export interface StatsBucket {
  /** When it began, in milliseconds since 1970. */
  readonly atMs: number;
  readonly totals: EndpointTotals;
}

/** How the endpoints did in the last 24 hours, the one that runs included. */
export interface LastDay {
  /** The last hour, counted in whole quarters and what there is of this one. */
  lastHourOf(modelId: string): EndpointTotals;
  /** The oldest first, those without calls included. */
  bucketsOf(modelId: string): readonly StatsBucket[];
}

/** Hours that are over, and over long enough that nobody adds to them any more. */
interface SettledHours {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly day: readonly BucketTotals[];
}

interface Sums {
  readonly hour: readonly BucketTotals[];
  readonly day: readonly BucketTotals[];
}

/** What the board works with. */
interface EndpointStatsOptions {
  readonly store: EndpointStatsStore;
  /** What this instance saw and has not told the store yet. */
  readonly pending: () => readonly BucketTotals[];
  readonly clock: Clock;
  /** Told of a store that is away: what was last known is shown then. */
  readonly onError: (error: unknown) => void;
}

/** What all instances together saw of every endpoint. */
export class EndpointStats {
  readonly #parts: EndpointStatsOptions;
  #known: Sums = { hour: [], day: [] };
  #settledHours: SettledHours | undefined;
  #freshUntilMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<Sums> | undefined;

  constructor(parts: EndpointStatsOptions) {
    this.#parts = parts;
  }

  /** The last day of every endpoint, hour by hour. May be a few seconds old, except for what this instance saw. */
  async lastDayByHour(): Promise<LastDay> {
    const { clock } = this.#parts;
    const spanMs = HOUR_MS;
    const sinceMs = firstBucketStart(clock.now(), spanMs);
    const { hour, day } = await this.#freshSums();
    return this.#dayOf({ sinceMs, spanMs, hour, day });
  }

  /** The last day of some endpoints, quarter by quarter. */
  async lastDayByQuarterHour(modelIds: readonly string[]): Promise<LastDay> {
    const { store, clock, onError } = this.#parts;
    const spanMs = QUARTER_HOUR_MS;
    const sinceMs = firstBucketStart(clock.now(), spanMs);
    const day = await store.sums({ sinceMs, spanMs, modelIds }).catch((error: unknown) => {
      onError(error);
      return [];
    });
    const hourSinceMs = lastHourStart(clock.now());
    return this.#dayOf({ sinceMs, spanMs, hour: day.filter(({ atMs }) => atMs >= hourSinceMs), day });
  }

  #dayOf(sums: {
    readonly sinceMs: number;
    readonly spanMs: number;
    readonly hour: readonly BucketTotals[];
    readonly day: readonly BucketTotals[];
  }): LastDay {
    const { sinceMs, spanMs } = sums;
    const hourSinceMs = lastHourStart(this.#parts.clock.now());
    const pending = this.#parts.pending();
    const hours = new Map<string, EndpointTotals>();
    const stretches = new Map<string, EndpointTotals>();
    const startOf = (atMs: number) => sinceMs + Math.floor((atMs - sinceMs) / spanMs) * spanMs;
    for (const figures of [...sums.hour, ...pending.filter(({ atMs }) => atMs >= hourSinceMs)])
      addToSum(hours, figures.modelId, figures);
    for (const figures of [...sums.day, ...pending])
      addToSum(stretches, `${figures.modelId} ${startOf(figures.atMs)}`, figures);
    return {
      lastHourOf: (modelId) => hours.get(modelId) ?? NO_TOTALS,
      bucketsOf: (modelId) =>
        Array.from({ length: DAY_MS / spanMs }, (_, index) => {
          const atMs = sinceMs + index * spanMs;
          return { atMs, totals: stretches.get(`${modelId} ${atMs}`) ?? NO_TOTALS };
        }),
    };
  }

  /** What is known is not the newest any more, and neither is what is being read. */
  invalidate(): void {
    this.#freshUntilMs = Number.NEGATIVE_INFINITY;
    this.#reading = undefined;
  }

  async #freshSums(): Promise<Sums> {
    if (this.#parts.clock.monotonicMs() < this.#freshUntilMs) return this.#known;
    this.#reading ??= this.#read();
    const reading = this.#reading;
    try {
      const sums = await reading;
      if (this.#reading === reading) {
        this.#known = sums;
        this.#freshUntilMs = this.#parts.clock.monotonicMs() + FRESH_MS;
      }
      return sums;
    } catch (error) {
      this.#parts.onError(error);
      return this.#known;
    } finally {
      if (this.#reading === reading) this.#reading = undefined;
    }
  }

  async #read(): Promise<Sums> {
    const { store, clock } = this.#parts;
    const nowMs = clock.now();
    const settledHours = await this.#readPast(nowMs);
    const [hour, recent] = await Promise.all([
      store.sums({ sinceMs: lastHourStart(nowMs), spanMs: DAY_MS }),
      store.sums({ sinceMs: settledHours.untilMs, spanMs: HOUR_MS }),
    ]);
    return { hour, day: [...settledHours.day, ...recent] };
  }

  /** Read once an hour: most of the day has been summed before. */
  async #readPast(nowMs: number): Promise<SettledHours> {
    const sinceMs = firstBucketStart(nowMs, HOUR_MS);
    if (this.#settledHours?.sinceMs === sinceMs) return this.#settledHours;
    const untilMs = sinceMs + DAY_MS - 2 * HOUR_MS;
    const day = await this.#parts.store.sums({ sinceMs, untilMs, spanMs: HOUR_MS });
    this.#settledHours = { sinceMs, untilMs, day };
    return this.#settledHours;
  }
}

function addToSum(sums: Map<string, EndpointTotals>, key: string, figures: EndpointTotals): void {
  const known = sums.get(key);
  sums.set(key, known === undefined ? figures : addTotals(known, figures));
}

/** The start of the first stretch, such that the one that runs is the last of the day. */
function firstBucketStart(nowMs: number, spanMs: number): number {
  return nowMs - (nowMs % spanMs) + spanMs - DAY_MS;
}

function lastHourStart(nowMs: number): number {
  return quarterHourStart(nowMs) - HOUR_MS;
}

/** How often what was counted goes to the store. */
const FLUSH_MS = 10_000;
/** While the store is away no more than this many sums wait for it: then the oldest are forgotten. */
const BUCKETS_MAX = 20_000;

/** What the diary works with. */
interface EndpointStatsWriterOptions {
  readonly store: EndpointStatsStore;
  readonly clock: Clock;
  /** Called when the store has taken something. */
  readonly onWritten: () => void;
  readonly onError: (error: unknown) => void;
}

/** Counts what this instance sees of every endpoint, and adds it to what all have seen, behind the requests' backs. */
export class EndpointStatsWriter implements CallListener {
  readonly #parts: EndpointStatsWriterOptions;
  /** By endpoint and quarter. */
  #buckets = new Map<string, BucketTotals>();
  #beingWritten: ReadonlyMap<string, BucketTotals> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(parts: EndpointStatsWriterOptions) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS);
    this.#timer.unref();
  }

  /** Hands over what is left. What the store can't take now is lost. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  succeeded(modelId: string, call: CallMeasurement): void {
    this.#count(modelId, totalsOfAnswer(call));
  }

  failed(modelId: string): void {
    this.#count(modelId, ONE_FAILED_CALL);
  }

  /** What the store does not have yet. */
  pending(): BucketTotals[] {
    return [...this.#beingWritten.values(), ...this.#buckets.values()];
  }

  /** Adds what was counted to what the store has. One at a time; never throws. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#write());
    return this.#flushing;
  }

  async #write(): Promise<void> {
    if (this.#buckets.size === 0) return;
    this.#beingWritten = this.#buckets;
    this.#buckets = new Map();
    try {
      await this.#parts.store.add([...this.#beingWritten.values()]);
      this.#beingWritten = new Map();
      this.#parts.onWritten();
    } catch (error) {
      // Where the outcome is open they may be counted twice: a figure may be a little off, but never on a request's time.
      const newer = this.#buckets;
      this.#buckets = new Map(this.#beingWritten);
      for (const page of newer.values()) this.#add(page.modelId, page.atMs, page);
      this.#beingWritten = new Map();
      this.#parts.onError(error);
    }
  }

  #count(modelId: string, figures: EndpointTotals): void {
    this.#add(modelId, quarterHourStart(this.#parts.clock.now()), figures);
  }

  #add(modelId: string, atMs: number, figures: EndpointTotals): void {
    const key = `${modelId} ${atMs}`;
    const known = this.#buckets.get(key);
    if (known === undefined && this.#buckets.size >= BUCKETS_MAX) {
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    this.#buckets.set(key, { ...addTotals(known ?? NO_TOTALS, figures), modelId, atMs });
  }
}
