import type { Completion, CompletionListener } from "@trunkline/core/in-step.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { IdempotentRun } from "./idempotent-run.ts";
import type { Settlement } from "./settlement.ts";
import type { QueuedSettlement, WriteResult } from "./settlement-writer.ts";

/** What a bill does once its settlement was written, or was not. */
interface BillEnds {
  finish(written: WriteResult, cost: NanoCredits): void | Promise<void>;
  failToEnd(settlement: Settlement, idempotentRun: IdempotentRun, error: unknown): Promise<never>;
}

/** A bill whose settlement is being written. */
export class EndingBill<Result> implements QueuedSettlement, Completion<Result> {
  readonly settlement: Settlement;
  deadlineMs = 0;
  readonly #bill: BillEnds;
  readonly #idempotentRun: IdempotentRun;
  readonly #result: Result;
  #listener: CompletionListener<Result> | undefined;

  constructor(bill: BillEnds, settlement: Settlement, idempotentRun: IdempotentRun, result: Result) {
    this.settlement = settlement;
    this.#bill = bill;
    this.#idempotentRun = idempotentRun;
    this.#result = result;
  }

  /** Completes with the result once the charge is durable. To be called in the turn in which it was queued. */
  whenCompleted(listener: CompletionListener<Result>): void {
    this.#listener = listener;
  }

  resolve(written: WriteResult): void {
    try {
      const finishing = this.#bill.finish(written, this.settlement.cost);
      if (finishing === undefined) this.#listener?.completed(this.#result);
      else
        finishing.then(
          () => this.#listener?.completed(this.#result),
          (error: unknown) => this.#listener?.failed(error),
        );
    } catch (error) {
      this.#listener?.failed(error);
    }
  }

  reject(error: unknown): void {
    this.#bill
      .failToEnd(this.settlement, this.#idempotentRun, error)
      .catch((reason: unknown) => this.#listener?.failed(reason));
  }
}
