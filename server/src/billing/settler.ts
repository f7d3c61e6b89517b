import { Fault } from "../kit/fault.ts";
import type { LedgerStore } from "./ledger-store.ts";
import type { Settlement } from "./settlement.ts";

const BATCH_MAX = 256;
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 50;

interface Waiting {
  readonly settlement: Settlement;
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Group commit: whatever ends while one batch is being written goes into the next one.
 * An answer waits for its own batch, so what was answered is on disk.
 */
export class Settler {
  readonly #ledger: LedgerStore;
  readonly #onWritten: (settlements: readonly Settlement[]) => void;
  #queue: Waiting[] = [];
  #running: Promise<void> | undefined;

  /** `onWritten` hears of whatever is on disk. */
  constructor(
    ledger: LedgerStore,
    onWritten: (settlements: readonly Settlement[]) => void = () => undefined,
  ) {
    this.#ledger = ledger;
    this.#onWritten = onWritten;
  }

  /** Resolves when the settlement is durable; rejects when it is not and won't be. */
  write(settlement: Settlement): Promise<void> {
    return new Promise((written, failed) => {
      this.#queue.push({ settlement, written, failed });
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
      await this.#retry(() => this.#ledger.write(settlements));
      for (const waiting of batch) waiting.written();
      this.#onWritten(settlements);
    } catch (error) {
      // One bad row must not refuse its neighbours' answers: they are written apart.
      if (batch.length > 1 && !(error instanceof Fault)) {
        for (const waiting of batch) await this.#writeBatch([waiting]);
        return;
      }
      for (const waiting of batch) waiting.failed(error);
    }
  }

  /** Writing twice changes nothing, so a write whose outcome is unknown is simply tried again. */
  async #retry(work: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt >= ATTEMPTS || !(error instanceof Fault && error.type === "unavailable")) throw error;
        await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt));
      }
    }
  }
}
