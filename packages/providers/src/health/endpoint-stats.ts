import type { Clock } from "@trunkline/core/clock.ts";
import type { CallListener } from "./call-observation.ts";
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
/** Reads within this time share one query. */
const FRESH_MS = 5_000;

/** One time bucket of an endpoint's last day. */
export interface StatsBucket {
  /** The start of the bucket, in milliseconds since 1970. */
  readonly atMs: number;
  readonly totals: EndpointTotals;
}

/** The statistics of the last 24 hours, including the current one. */
export interface LastDay {
  /** The last four whole quarter hours and the current one. */
  lastHourOf(modelId: string): EndpointTotals;
  /** The oldest first, including buckets without calls. */
  bucketsOf(modelId: string): readonly StatsBucket[];
}

/** Hours that are over for long enough that no instance adds to them any more. */
interface SettledHours {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly day: readonly BucketTotals[];
}

interface Sums {
  readonly hour: readonly BucketTotals[];
  readonly day: readonly BucketTotals[];
}

interface EndpointStatsOptions {
  readonly store: EndpointStatsStore;
  /** What this instance has counted and not written yet. */
  readonly pending: () => readonly BucketTotals[];
  readonly clock: Clock;
  /** Called when the store fails: the last known sums are then shown. */
  readonly onError: (error: unknown) => void;
}

/** The endpoints' statistics, of all instances together. */
export class EndpointStats {
  readonly #options: EndpointStatsOptions;
  #known: Sums = { hour: [], day: [] };
  #settledHours: SettledHours | undefined;
  #freshUntilMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<Sums> | undefined;

  constructor(options: EndpointStatsOptions) {
    this.#options = options;
  }

  /** The last day of every endpoint by hour. May be a few seconds old, except for this instance's own calls. */
  async lastDayByHour(): Promise<LastDay> {
    const { clock } = this.#options;
    const spanMs = HOUR_MS;
    const sinceMs = firstBucketStart(clock.now(), spanMs);
    const { hour, day } = await this.#freshSums();
    return this.#dayOf({ sinceMs, spanMs, hour, day });
  }

  /** The last day of some endpoints by quarter hour. */
  async lastDayByQuarterHour(modelIds: readonly string[]): Promise<LastDay> {
    const { store, clock, onError } = this.#options;
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
    const hourSinceMs = lastHourStart(this.#options.clock.now());
    const pending = this.#options.pending();
    const hours = new Map<string, EndpointTotals>();
    const buckets = new Map<string, EndpointTotals>();
    const startOf = (atMs: number) => sinceMs + Math.floor((atMs - sinceMs) / spanMs) * spanMs;
    for (const totals of [...sums.hour, ...pending.filter(({ atMs }) => atMs >= hourSinceMs)])
      addToSum(hours, totals.modelId, totals);
    for (const totals of [...sums.day, ...pending])
      addToSum(buckets, `${totals.modelId} ${startOf(totals.atMs)}`, totals);
    return {
      lastHourOf: (modelId) => hours.get(modelId) ?? NO_TOTALS,
      bucketsOf: (modelId) =>
        Array.from({ length: DAY_MS / spanMs }, (_, index) => {
          const atMs = sinceMs + index * spanMs;
          return { atMs, totals: buckets.get(`${modelId} ${atMs}`) ?? NO_TOTALS };
        }),
    };
  }

  /** Makes the next read query the store again, also if a query is in flight. */
  invalidate(): void {
    this.#freshUntilMs = Number.NEGATIVE_INFINITY;
    this.#reading = undefined;
  }

  async #freshSums(): Promise<Sums> {
    if (this.#options.clock.monotonicMs() < this.#freshUntilMs) return this.#known;
    this.#reading ??= this.#read();
    const reading = this.#reading;
    try {
      const sums = await reading;
      if (this.#reading === reading) {
        this.#known = sums;
        this.#freshUntilMs = this.#options.clock.monotonicMs() + FRESH_MS;
      }
      return sums;
    } catch (error) {
      this.#options.onError(error);
      return this.#known;
    } finally {
      if (this.#reading === reading) this.#reading = undefined;
    }
  }

  async #read(): Promise<Sums> {
    const { store, clock } = this.#options;
    const nowMs = clock.now();
    const settledHours = await this.#readPast(nowMs);
    const [hour, recent] = await Promise.all([
      store.sums({ sinceMs: lastHourStart(nowMs), spanMs: DAY_MS }),
      store.sums({ sinceMs: settledHours.untilMs, spanMs: HOUR_MS }),
    ]);
    return { hour, day: [...settledHours.day, ...recent] };
  }

  /** Queried once an hour, so that most of the day is not summed again. */
  async #readPast(nowMs: number): Promise<SettledHours> {
    const sinceMs = firstBucketStart(nowMs, HOUR_MS);
    if (this.#settledHours?.sinceMs === sinceMs) return this.#settledHours;
    const untilMs = sinceMs + DAY_MS - 2 * HOUR_MS;
    const day = await this.#options.store.sums({ sinceMs, untilMs, spanMs: HOUR_MS });
    this.#settledHours = { sinceMs, untilMs, day };
    return this.#settledHours;
  }
}

function addToSum(sums: Map<string, EndpointTotals>, key: string, totals: EndpointTotals): void {
  const known = sums.get(key);
  sums.set(key, known === undefined ? totals : addTotals(known, totals));
}

/** The start of the first bucket of a day that ends with the current bucket. */
function firstBucketStart(nowMs: number, spanMs: number): number {
  return nowMs - (nowMs % spanMs) + spanMs - DAY_MS;
}

function lastHourStart(nowMs: number): number {
  return quarterHourStart(nowMs) - HOUR_MS;
}

/** How often counts are written. */
const FLUSH_MS = 10_000;
/** How many buckets wait for a store that fails; beyond that the oldest are dropped. */
const BUCKETS_MAX = 20_000;

interface EndpointStatsWriterOptions {
  readonly store: EndpointStatsStore;
  readonly clock: Clock;
  /** Called after a successful write. */
  readonly onWritten: () => void;
  readonly onError: (error: unknown) => void;
}

/** Counts this instance's calls of every endpoint and adds them to the store in the background. */
export class EndpointStatsWriter implements CallListener {
  readonly #options: EndpointStatsWriterOptions;
  /** By endpoint and quarter hour. */
  #buckets = new Map<string, CountedBucket>();
  /** Of those, the one that each endpoint was counted in last. */
  #latest = new Map<string, CountedBucket>();
  #beingWritten: ReadonlyMap<string, CountedBucket> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: EndpointStatsWriterOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS);
    this.#timer.unref();
  }

  /** Writes what is left. If the store fails now, it is lost. */
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

  /** What is not written yet. */
  pending(): BucketTotals[] {
    return [...this.#beingWritten.values(), ...this.#buckets.values()].map((bucket) => ({ ...bucket }));
  }

  /** Adds the counts to the store. One at a time; never throws. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#write());
    return this.#flushing;
  }

  async #write(): Promise<void> {
    if (this.#buckets.size === 0) return;
    this.#beingWritten = this.#buckets;
    this.#empty();
    try {
      await this.#options.store.add([...this.#beingWritten.values()]);
      this.#beingWritten = new Map();
      this.#options.onWritten();
    } catch (error) {
      // If the write succeeded all the same, they count twice: statistics may be slightly off, but requests never wait.
      const newer = this.#buckets;
      this.#empty();
      for (const [key, bucket] of this.#beingWritten) this.#buckets.set(key, bucket);
      for (const bucket of newer.values()) this.#add(bucket.modelId, bucket.atMs, bucket);
      this.#beingWritten = new Map();
      this.#options.onError(error);
    }
  }

  #empty(): void {
    this.#buckets = new Map();
    this.#latest = new Map();
  }

  #count(modelId: string, totals: EndpointTotals): void {
    this.#add(modelId, quarterHourStart(this.#options.clock.now()), totals);
  }

  #add(modelId: string, atMs: number, totals: EndpointTotals): void {
    const bucket = this.#bucketOf(modelId, atMs);
    // Added in place, as this is done for every call.
    bucket.calls += totals.calls;
    bucket.failures += totals.failures;
    bucket.answeredMs += totals.answeredMs;
    bucket.firstParts += totals.firstParts;
    bucket.firstPartMs += totals.firstPartMs;
    bucket.outputTokens += totals.outputTokens;
    bucket.streamedTokens += totals.streamedTokens;
    bucket.streamedMs += totals.streamedMs;
  }

  #bucketOf(modelId: string, atMs: number): CountedBucket {
    const latest = this.#latest.get(modelId);
    if (latest?.atMs === atMs) return latest;
    const key = `${modelId} ${atMs}`;
    const known = this.#buckets.get(key);
    const bucket = known ?? { ...NO_TOTALS, modelId, atMs };
    this.#latest.set(modelId, bucket);
    if (known !== undefined) return bucket;
    if (this.#buckets.size >= BUCKETS_MAX) {
      const [oldest = key] = this.#buckets.keys();
      const dropped = this.#buckets.get(oldest);
      this.#buckets.delete(oldest);
      if (dropped !== undefined && this.#latest.get(dropped.modelId) === dropped) this.#latest.delete(dropped.modelId);
    }
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

type CountedBucket = { -readonly [Field in keyof BucketTotals]: BucketTotals[Field] };
