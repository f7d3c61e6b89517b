import type { NanoCredits } from "@trunkline/core/money.ts";
import type { IdempotentRun } from "./idempotent-run.ts";
import type { Settlement } from "./settlement.ts";
import type { QueuedSettlement, WriteResult } from "./settlement-writer.ts";

/** What a bill does once its settlement was written, or was not. */
interface BillEnds {
  finish(written: WriteResult, cost: NanoCredits): void | Promise<void>;
  failToEnd(settlement: Settlement, idempotentRun: IdempotentRun, error: unknown): Promise<never>;
}

/** A bill whose settlement is being written. One object for both ends: two functions for each would take more room. */
export class EndingBill<Result> implements QueuedSettlement {
  readonly settlement: Settlement;
  deadlineMs = 0;
  readonly #bill: BillEnds;
  readonly #idempotentRun: IdempotentRun;
  readonly #result: Result;
  readonly #resolve: (result: Result | Promise<Result>) => void;
  readonly #reject: (error: unknown) => void;

  constructor(
    bill: BillEnds,
    settlement: Settlement,
    idempotentRun: IdempotentRun,
    result: Result,
    resolve: (result: Result | Promise<Result>) => void,
    reject: (error: unknown) => void,
  ) {
    this.settlement = settlement;
    this.#bill = bill;
    this.#idempotentRun = idempotentRun;
    this.#result = result;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  resolve(written: WriteResult): void {
    try {
      const finishing = this.#bill.finish(written, this.settlement.cost);
      this.#resolve(finishing === undefined ? this.#result : finishing.then(() => this.#result));
    } catch (error) {
      this.#reject(error);
    }
  }

  reject(error: unknown): void {
    this.#resolve(this.#bill.failToEnd(this.settlement, this.#idempotentRun, error));
  }
}
