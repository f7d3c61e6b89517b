import { Fault } from "@trunkline/core/fault.ts";
import { LeaseLost } from "@trunkline/core/funds-pool.ts";
import type { LedgerStore, WriteOutcome } from "./ledger-store.ts";
import type { Settlement } from "./settlement.ts";

const BATCH_MAX = 256;
/** How long an answer waits for an unavailable store: long enough for its restart, not for an outage. */
const WRITE_TIMEOUT_MS = 8_000;
const FIRST_PAUSE_MS = 50;
const PAUSE_MS_MAX = 500;
/** How often the store is asked for outcomes that are unknown. */
const LATER_MS = 500;

/** What a bill needs to know of a durable charge. */
export type WriteResult = Pick<WriteOutcome, "leasesChanged">;

/** A settlement that waits to be written. One of its two functions is called with the outcome, and must not throw. */
export interface QueuedSettlement {
  readonly settlement: Settlement;
  /** When to stop retrying while the store is unavailable; set when it is queued. */
  deadlineMs: number;
  /** It is durable. */
  resolve(result: WriteResult): void;
  /** It is not, or that is unknown. */
  reject(error: unknown): void;
}

/** Why a settlement is not known to be written: the store was away for too long, and may have written it. */
export class OutcomeUnknown extends Fault {
  constructor(cause: unknown) {
    super("unavailable", "The service's store is away for a moment.", { retryAfterSeconds: 2 }, { cause });
  }
}

/** A settlement whose outcome is unknown. */
interface OpenSettlement {
  readonly settlement: Settlement;
  readonly givesBack: boolean;
  readonly onKnown: (isWritten: boolean) => void;
}

/**
 * Group commit: settlements that arrive while one batch is being written go into the next one.
 * An answer waits for its own batch, so every completed answer is durable.
 */
export class SettlementWriter {
  readonly #ledger: LedgerStore;
  readonly #onWritten: (settlements: readonly Settlement[]) => void;
  readonly #timeoutMs: number;
  #queue: QueuedSettlement[] = [];
  #isRunning = false;
  /** Since when the batch that is being written waits. */
  #writingSinceMs: number | undefined;
  #whenIdle: (() => void)[] = [];
  #open: OpenSettlement[] = [];
  #nextTry: NodeJS.Timeout | undefined;

  /** `onWritten` is called with every durable batch. */
  constructor(
    ledger: LedgerStore,
    onWritten: (settlements: readonly Settlement[]) => void = () => undefined,
    timeoutMs = WRITE_TIMEOUT_MS,
  ) {
    this.#ledger = ledger;
    this.#onWritten = onWritten;
    this.#timeoutMs = timeoutMs;
  }

  /** Resolves when the settlement is durable; rejects when it won't be. */
  write(settlement: Settlement): Promise<WriteResult> {
    return new Promise((resolve, reject) => this.queue({ settlement, deadlineMs: 0, resolve, reject }));
  }

  /** The same without a promise. */
  queue(queued: QueuedSettlement): void {
    queued.deadlineMs = performance.now() + this.#timeoutMs;
    this.#queue.push(queued);
    if (this.#isRunning) return;
    this.#isRunning = true;
    // One turn of the event loop lets requests that end at the same time share a batch.
    setImmediate(() => void this.#drain());
  }

  /** How long the batch that is being written has taken so far; 0 where none is. */
  get waitMs(): number {
    return this.#writingSinceMs === undefined ? 0 : performance.now() - this.#writingSinceMs;
  }

  /** How many settlements wait for that batch. */
  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * Writes a settlement whose outcome is unknown when the store is back: writing it twice changes nothing. With `givesBack`
   * it is one without a charge, in place of one with it: where that was written after all, its charge is given back.
   */
  settleLater(settlement: Settlement, givesBack: boolean, onKnown: (isWritten: boolean) => void): void {
    this.#open.push({ settlement, givesBack, onKnown });
    this.#tryLater();
  }

  /** How many settlements wait for the store to tell their outcome. */
  get openCount(): number {
    return this.#open.length;
  }

  /** Waits until every settlement has been written or refused. */
  async idle(): Promise<void> {
    if (this.#isRunning) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    // A store that is still away keeps its answer: nothing waits for it for ever.
    await this.#settleOpen();
  }

  #tryLater(): void {
    this.#nextTry ??= setTimeout(() => void this.#settleOpen(), LATER_MS).unref();
  }

  async #settleOpen(): Promise<void> {
    clearTimeout(this.#nextTry);
    this.#nextTry = undefined;
    const open = this.#open;
    this.#open = [];
    for (const [index, { settlement, givesBack, onKnown }] of open.entries()) {
      let isWritten = false;
      try {
        isWritten = !(await this.#ledger.write([settlement])).lost.has(settlement.requestId);
        if (givesBack) await this.#ledger.giveBackCharge(settlement);
        this.#onWritten([settlement]);
      } catch (error) {
        if (isStoreUnavailable(error)) {
          this.#open.unshift(...open.slice(index));
          this.#tryLater();
          return;
        }
        // Refused by the ledger: it is not written, and never was.
      }
      onKnown(isWritten);
    }
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const queue = this.#queue;
      this.#queue = queue.length > BATCH_MAX ? queue.splice(BATCH_MAX) : [];
      this.#writingSinceMs = performance.now();
      await this.#writeBatch(queue);
    }
    this.#writingSinceMs = undefined;
    this.#isRunning = false;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  async #writeBatch(batch: readonly QueuedSettlement[]): Promise<void> {
    const settlements = batch.map(({ settlement }) => settlement);
    let deadlineMs = 0;
    for (const queued of batch) deadlineMs = Math.max(deadlineMs, queued.deadlineMs);
    try {
      let outcome: WriteOutcome | undefined;
      // Writing twice changes nothing, so a write whose outcome is unknown is retried.
      for (let pause = FIRST_PAUSE_MS; outcome === undefined; pause = Math.min(pause * 2, PAUSE_MS_MAX)) {
        try {
          outcome = await this.#ledger.write(settlements);
        } catch (error) {
          if (!isStoreUnavailable(error) || performance.now() >= deadlineMs) throw error;
          await new Promise((resolve) => setTimeout(resolve, pause));
        }
      }
      this.#onWritten(settlements);
      for (const queuedSettlement of batch) {
        if (outcome.lost.has(queuedSettlement.settlement.requestId))
          queuedSettlement.reject(lostWriteFault("another request took over its Idempotency-Key"));
        else queuedSettlement.resolve(outcome);
      }
    } catch (error) {
      // One bad row must not refuse the others of its batch: they are written one by one.
      if (batch.length > 1 && !(error instanceof Fault)) {
        for (const queuedSettlement of batch) await this.#writeBatch([queuedSettlement]);
        return;
      }
      const reason =
        error instanceof LeaseLost
          ? lostWriteFault("the money set aside for it was spent otherwise")
          : isStoreUnavailable(error)
            ? new OutcomeUnknown(error)
            : error;
      for (const queuedSettlement of batch) queuedSettlement.reject(reason);
      if (isStoreUnavailable(error)) this.#failOverdue(error);
    }
  }

  /** Settlements past their deadline fail now instead of waiting for their own batch. */
  #failOverdue(error: unknown): void {
    const now = performance.now();
    const overdue = this.#queue.filter((queuedSettlement) => queuedSettlement.deadlineMs <= now);
    this.#queue = this.#queue.filter((queuedSettlement) => queuedSettlement.deadlineMs > now);
    for (const queuedSettlement of overdue) queuedSettlement.reject(new OutcomeUnknown(error));
  }
}

function isStoreUnavailable(error: unknown): boolean {
  return error instanceof Fault && error.type === "unavailable";
}

function lostWriteFault(consequence: string): Fault {
  return new Fault(
    "unavailable",
    `The service lost touch with its store while this ran, and ${consequence}. Nothing was charged; try again.`,
    { retryAfterSeconds: 1 },
  );
}
