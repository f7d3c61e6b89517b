import type { Clock } from "@trunkline/core/clock.ts";
import {
  addTotals,
  type CallMeasurement,
  type EndpointTotals,
  NO_TOTALS,
  ONE_FAILED_CALL,
  totalsOfAnswer,
} from "./endpoint-figures.ts";
import type { CallListener } from "./endpoint-health.ts";
import { type BucketTotals, type EndpointStatsStore, quarterHourStart } from "./quarter-store.ts";

/** How often what was counted goes to the store. */
const FLUSH_MS = 10_000;
/** While the store is away no more than this many sums wait for it: then the oldest are forgotten. */
const BUCKETS_MAX = 20_000;

/** What the diary works with. */
export interface EndpointStatsWriterOptions {
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
