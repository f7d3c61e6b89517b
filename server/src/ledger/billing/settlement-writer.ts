import { Fault } from "@trunkline/core/fault.ts";
import { LeaseLost } from "@trunkline/core/funds-pool.ts";
import type { LedgerStore, WriteOutcome } from "./ledger-store.ts";
import type { Settlement } from "./settlement.ts";

const BATCH_MAX = 256;
/** How long an answer waits for a store that is away: a restart of it is worth waiting for, an outage is not. */
const PATIENCE_MS = 8_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/** What the bill needs to know of a charge that is on disk. */
export type Written = Pick<WriteOutcome, "leasesChanged">;

interface Waiting {
  readonly settlement: Settlement;
  readonly written: (how: Written) => void;
  readonly failed: (error: unknown) => void;
  /** Until when it is worth waiting for a store that is away. */
  readonly deadlineMs: number;
}

/**
 * Group commit: whatever ends while one batch is being written goes into the next one.
 * An answer waits for its own batch, so what was answered is on disk.
 */
export class Settler {
  readonly #ledger: LedgerStore;
  readonly #onWritten: (settlements: readonly Settlement[]) => void;
  readonly #patienceMs: number;
  #queue: Waiting[] = [];
  #running: Promise<void> | undefined;

  /** `onWritten` hears of every batch that is on disk. */
  constructor(
    ledger: LedgerStore,
    onWritten: (settlements: readonly Settlement[]) => void = () => undefined,
    patienceMs = PATIENCE_MS,
  ) {
    this.#ledger = ledger;
    this.#onWritten = onWritten;
    this.#patienceMs = patienceMs;
  }

  /** Resolves when the settlement is durable; rejects when it is not and won't be. */
  write(settlement: Settlement): Promise<Written> {
    return new Promise((written, failed) => {
      const deadlineMs = performance.now() + this.#patienceMs;
      this.#queue.push({ settlement, written, failed, deadlineMs });
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

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    const settlements = batch.map((waiting) => waiting.settlement);
    try {
      const deadlineMs = Math.max(...batch.map((waiting) => waiting.deadlineMs));
      const outcome = await this.#retry(deadlineMs, () => this.#ledger.write(settlements));
      this.#onWritten(settlements);
      for (const waiting of batch) tell(waiting, outcome);
    } catch (error) {
      // One bad row must not refuse its neighbours' answers: they are written apart.
      if (batch.length > 1 && !(error instanceof Fault)) {
        for (const waiting of batch) await this.#writeBatch([waiting]);
        return;
      }
      const told =
        error instanceof LeaseLost ? lostTouch("the money set aside for it was spent otherwise") : error;
      for (const waiting of batch) waiting.failed(told);
      if (isAway(error)) this.#failOverdue(error);
    }
  }

  /** Those who have waited long enough need not wait for their own turn to be told that the store is away. */
  #failOverdue(error: unknown): void {
    const now = performance.now();
    const overdue = this.#queue.filter((waiting) => waiting.deadlineMs <= now);
    this.#queue = this.#queue.filter((waiting) => waiting.deadlineMs > now);
    for (const waiting of overdue) waiting.failed(error);
  }

  /** Writing twice changes nothing, so a write whose outcome is unknown is simply tried again. */
  async #retry<Result>(deadlineMs: number, work: () => Promise<Result>): Promise<Result> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await work();
      } catch (error) {
        if (!isAway(error) || performance.now() >= deadlineMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }
}

function isAway(error: unknown): boolean {
  return error instanceof Fault && error.type === "unavailable";
}

function tell({ settlement, written, failed }: Waiting, { lost, leasesChanged }: WriteOutcome): void {
  if (lost.has(settlement.requestId)) failed(lostTouch("another request took over its Idempotency-Key"));
  else written({ leasesChanged });
}

function lostTouch(consequence: string): Fault {
  return new Fault(
    "unavailable",
    `The service lost touch with its store while this ran, and ${consequence}. Nothing was charged; try again.`,
    { retryAfterSeconds: 1 },
  );
}
