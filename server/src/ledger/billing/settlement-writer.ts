import { Fault } from "@trunkline/core/fault.ts";
import { LeaseLost } from "@trunkline/core/funds-pool.ts";
import type { LedgerStore, WriteOutcome } from "./ledger-store.ts";
import type { Settlement } from "./settlement.ts";

const BATCH_MAX = 256;
/** How long an answer waits for a store that is away: a restart of it is worth waiting for, an outage is not. */
const WRITE_TIMEOUT_MS = 8_000;
const FIRST_PAUSE_MS = 50;
const PAUSE_MS_MAX = 500;

/** What the bill needs to know of a charge that is on disk. */
export type WriteResult = Pick<WriteOutcome, "leasesChanged">;

interface QueuedSettlement {
  readonly settlement: Settlement;
  readonly resolve: (how: WriteResult) => void;
  readonly reject: (error: unknown) => void;
  /** Until when it is worth waiting for a store that is away. */
  readonly deadlineMs: number;
}

/**
 * Group commit: whatever ends while one batch is being written goes into the next one.
 * An answer waits for its own batch, so what was answered is on disk.
 */
export class SettlementWriter {
  readonly #ledger: LedgerStore;
  readonly #onWritten: (settlements: readonly Settlement[]) => void;
  readonly #timeoutMs: number;
  #queue: QueuedSettlement[] = [];
  #running: Promise<void> | undefined;

  /** `onWritten` hears of every batch that is on disk. */
  constructor(
    ledger: LedgerStore,
    onWritten: (settlements: readonly Settlement[]) => void = () => undefined,
    patienceMs = WRITE_TIMEOUT_MS,
  ) {
    this.#ledger = ledger;
    this.#onWritten = onWritten;
    this.#timeoutMs = patienceMs;
  }

  /** Resolves when the settlement is durable; rejects when it is not and won't be. */
  write(settlement: Settlement): Promise<WriteResult> {
    return new Promise((written, failed) => {
      const deadlineMs = performance.now() + this.#timeoutMs;
      this.#queue.push({ settlement, resolve: written, reject: failed, deadlineMs });
      this.#running ??= this.#drain();
    });
  }

  /** Waits until everything that was handed in has been written or refused. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #drain(): Promise<void> {
    // One turn of the event loop lets everything that ends at the same moment share a batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, BATCH_MAX);
      await this.#writeBatch(batch);
    }
    this.#running = undefined;
  }

  async #writeBatch(batch: readonly QueuedSettlement[]): Promise<void> {
    const settlements = batch.map((queuedSettlement) => queuedSettlement.settlement);
    try {
      const deadlineMs = Math.max(...batch.map((queuedSettlement) => queuedSettlement.deadlineMs));
      const outcome = await this.#retry(deadlineMs, () => this.#ledger.write(settlements));
      this.#onWritten(settlements);
      for (const queuedSettlement of batch) resolveWritten(queuedSettlement, outcome);
    } catch (error) {
      // One bad row must not refuse its neighbours' answers: they are written apart.
      if (batch.length > 1 && !(error instanceof Fault)) {
        for (const queuedSettlement of batch) await this.#writeBatch([queuedSettlement]);
        return;
      }
      const told =
        error instanceof LeaseLost ? lostWriteFault("the money set aside for it was spent otherwise") : error;
      for (const queuedSettlement of batch) queuedSettlement.reject(told);
      if (isStoreUnavailable(error)) this.#failOverdue(error);
    }
  }

  /** Those who have waited long enough need not wait for their own turn to be told that the store is away. */
  #failOverdue(error: unknown): void {
    const now = performance.now();
    const overdue = this.#queue.filter((queuedSettlement) => queuedSettlement.deadlineMs <= now);
    this.#queue = this.#queue.filter((queuedSettlement) => queuedSettlement.deadlineMs > now);
    for (const queuedSettlement of overdue) queuedSettlement.reject(error);
  }

  /** Writing twice changes nothing, so a write whose outcome is unknown is simply tried again. */
  async #retry<Result>(deadlineMs: number, work: () => Promise<Result>): Promise<Result> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, PAUSE_MS_MAX)) {
      try {
        return await work();
      } catch (error) {
        if (!isStoreUnavailable(error) || performance.now() >= deadlineMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }
}

function isStoreUnavailable(error: unknown): boolean {
  return error instanceof Fault && error.type === "unavailable";
}

function resolveWritten(
  { settlement, resolve: written, reject: failed }: QueuedSettlement,
  { lost, leasesChanged }: WriteOutcome,
): void {
  if (lost.has(settlement.requestId)) failed(lostWriteFault("another request took over its Idempotency-Key"));
  else written({ leasesChanged });
}

function lostWriteFault(consequence: string): Fault {
  return new Fault(
    "unavailable",
    `The service lost touch with its store while this ran, and ${consequence}. Nothing was charged; try again.`,
    { retryAfterSeconds: 1 },
  );
}
