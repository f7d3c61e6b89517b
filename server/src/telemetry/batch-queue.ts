import { wait } from "@trunkline/core/clock.ts";

/** What became of a batch. */
export type SendResult =
  | { readonly kind: "sent" }
  /** It may succeed later; `afterMs` where the receiver said when. */
  | { readonly kind: "later"; readonly reason: string; readonly afterMs?: number | undefined }
  /** It never will. */
  | { readonly kind: "rejected"; readonly reason: string };

/** Sends a batch once. Throws only where the signal aborts. */
export type SendBatch<Item> = (items: readonly Item[], signal: AbortSignal) => Promise<SendResult>;

export interface BatchQueueOptions<Item> {
  readonly send: SendBatch<Item>;
  /** How much an item counts, in about its bytes. */
  readonly sizeOf: (item: Item) => number;
  /** For how many an item counts; absent: for one. */
  readonly countOf?: (item: Item) => number;
  /** The longest that an item waits for others. */
  readonly delayMs: number;
  /** A batch that has this many items, or this size, is sent without waiting for more. */
  readonly batchItemsMax: number;
  readonly batchSizeMax: number;
  /** What is added beyond this size is dropped. */
  readonly queueSizeMax: number;
  /** A bound for several queues together. */
  readonly shared?: { size: number; readonly max: number };
  /** The pauses after each failed attempt; after the last, the batch is dropped. */
  readonly retryDelaysMs?: readonly number[];
  /** Called when a batch is dropped, and when items did not fit. */
  readonly onDropped: (reason: string, items: number) => void;
}

const RETRY_DELAYS_MS = [1_000, 5_000, 15_000, 30_000];
const RETRY_DELAY_MS_MAX = 60_000;

/**
 * Collects items and sends them in batches, one at a time, so that nothing waits for a slow receiver. It is bounded: a
 * receiver that is away costs items, never memory.
 */
export class BatchQueue<Item> {
  readonly #options: BatchQueueOptions<Item>;
  readonly #abort = new AbortController();
  #items: Item[] = [];
  #size = 0;
  /** The size of the batch that is being sent. */
  #sendingSize = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isFull = false;
  #isStopping = false;
  #sent = 0;
  #dropped = 0;

  constructor(options: BatchQueueOptions<Item>) {
    this.#options = options;
  }

  /** How many items were sent, as `countOf` counts them. */
  get sent(): number {
    return this.#sent;
  }

  /** How many items were dropped: they did not fit, or their batch could not be sent. */
  get dropped(): number {
    return this.#dropped;
  }

  get waiting(): number {
    return this.#items.length;
  }

  /** Whether nothing waits and nothing is being sent. */
  get isIdle(): boolean {
    return this.#items.length === 0 && this.#sending === undefined;
  }

  add(item: Item): void {
    const { sizeOf, queueSizeMax, batchItemsMax, batchSizeMax, delayMs, shared, onDropped } = this.#options;
    const size = sizeOf(item);
    const isOver = shared !== undefined && shared.size + size > shared.max;
    if (isOver || this.#size + this.#sendingSize + size > queueSizeMax || this.#isStopping) {
      const count = this.#count([item]);
      this.#dropped += count;
      // Once for each time that it is full.
      if (!this.#isFull) onDropped("the queue is full", count);
      this.#isFull = true;
      return;
    }
    this.#isFull = false;
    this.#items.push(item);
    this.#size += size;
    if (shared !== undefined) shared.size += size;
    if (this.#items.length >= batchItemsMax || this.#size >= batchSizeMax) void this.flush();
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => void this.flush(), delayMs);
      this.#timer.unref();
    }
  }

  /** Sends all that waits. Resolves when it was sent or dropped. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  /** Sends what waits, for at most this long, and takes nothing more. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const late = setTimeout(() => this.#abort.abort(), graceMs);
    await this.flush();
    clearTimeout(late);
    this.#abort.abort();
  }

  async #sendAll(): Promise<void> {
    while (this.#items.length > 0) {
      const batch = this.#takeBatch();
      await this.#sendBatch(batch);
      const { shared } = this.#options;
      if (shared !== undefined) shared.size -= this.#sendingSize;
      this.#sendingSize = 0;
    }
  }

  #takeBatch(): readonly Item[] {
    const { sizeOf, batchItemsMax, batchSizeMax } = this.#options;
    let count = 0;
    let size = 0;
    for (const item of this.#items) {
      const next = size + sizeOf(item);
      if (count > 0 && (count === batchItemsMax || next > batchSizeMax)) break;
      size = next;
      count++;
    }
    const batch = this.#items.slice(0, count);
    this.#items = this.#items.slice(count);
    this.#size -= size;
    this.#sendingSize = size;
    return batch;
  }

  async #sendBatch(batch: readonly Item[]): Promise<void> {
    const { send, retryDelaysMs = RETRY_DELAYS_MS, onDropped } = this.#options;
    const { signal } = this.#abort;
    let reason = "the service stopped";
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const result = await send(batch, signal);
        if (result.kind === "sent") {
          this.#sent += this.#count(batch);
          return;
        }
        reason = result.reason;
        const delayMs = retryDelaysMs[attempt];
        if (result.kind === "rejected" || delayMs === undefined) break;
        await wait(Math.min(result.afterMs ?? delayMs, RETRY_DELAY_MS_MAX), signal);
      } catch (error) {
        if (!signal.aborted) reason = error instanceof Error ? error.message : String(error);
        break;
      }
    }
    const count = this.#count(batch);
    this.#dropped += count;
    onDropped(reason, count);
  }

  #count(items: readonly Item[]): number {
    const { countOf } = this.#options;
    if (countOf === undefined) return items.length;
    return items.reduce((sum, item) => sum + countOf(item), 0);
  }
}
