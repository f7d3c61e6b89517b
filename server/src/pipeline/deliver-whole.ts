import { isLastGroup, type PartSource } from "@trunkline/core/adapter.ts";
import { Arrival, type Completion, inStep, promiseOf } from "@trunkline/core/in-step.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { AnswerScreen, ScreenedAnswer } from "@trunkline/guard/screen/screen-output.ts";
import type { Bill } from "../ledger/billing/bill.ts";
import type { AnswerProgress, DeliverParts } from "./answer-progress.ts";

const NO_PARTS: readonly Part[] = [];

/**
 * The delivery of an answer at its end: its parts are examined together. Its caller does the waiting, as a promise of
 * its own with a function that waits would take several times its room.
 */
export class WholeDelivery {
  readonly #source: PartSource;
  readonly #screen: AnswerScreen;
  readonly #bill: Bill;
  readonly #progress: AnswerProgress;
  readonly #deliver: DeliverParts;
  #parts = NO_PARTS;
  #failure: { readonly error: unknown } | undefined;
  #isCollected = false;
  #isScreened = false;

  constructor(source: PartSource, screen: AnswerScreen, bill: Bill, progress: AnswerProgress, deliver: DeliverParts) {
    this.#source = source;
    this.#screen = screen;
    this.#bill = bill;
    this.#progress = progress;
    this.#deliver = deliver;
  }

  /** Goes on until it has to wait: ask again once that is over. undefined: it is done. Throws what ended the answer. */
  next(): Promise<void> | Completion<void> | undefined {
    if (this.#isScreened) return undefined;
    if (this.#isCollected) return this.#screenAndSend();
    const coming = this.#collect();
    if (coming !== undefined) return coming;
    this.#isCollected = true;
    return inStep;
  }

  /** Takes what has come; undefined: nothing more comes. */
  #collect(): Arrival | undefined {
    try {
      for (;;) {
        const taken = this.#source.take();
        if (taken instanceof Arrival) return taken;
        if (taken.done !== true)
          this.#parts = this.#parts.length === 0 ? taken.value : [...this.#parts, ...taken.value];
        if (taken.done === true || isLastGroup(taken)) return undefined;
      }
    } catch (error) {
      // A source that throws has closed what it had open.
      this.#failure = { error };
      return undefined;
    }
  }

  #screenAndSend(): Promise<void> | undefined {
    this.#isScreened = true;
    try {
      const screening = this.#screen.screenWhole(this.#parts);
      const sending =
        screening instanceof Promise ? screening.then((screened) => this.#send(screened)) : this.#send(screening);
      if (sending !== undefined)
        return sending.then(
          () => this.#end(this.#failure),
          (error: unknown) => this.#end({ error }),
        );
    } catch (error) {
      this.#failure = { error };
    }
    return this.#end(this.#failure);
  }

  #send({ safe, refusal, partsRead }: ScreenedAnswer): void | Promise<void> {
    for (let at = 0; at < partsRead; at++) this.#bill.meter(this.#parts[at] as Part);
    this.#failure = refusal ?? this.#failure;
    return safe.length === 0 ? undefined : this.#deliver(safe);
  }

  #end(failure: { readonly error: unknown } | undefined): undefined {
    this.#progress.judge(this.#screen.verdict);
    if (failure !== undefined) throw failure.error;
  }
}

/** Waits for all of it. */
export async function finish(delivery: WholeDelivery | Promise<void>): Promise<void> {
  if (delivery instanceof Promise) return delivery;
  for (let waiting = delivery.next(); waiting !== undefined; waiting = delivery.next())
    await (waiting instanceof Promise ? waiting : promiseOf(waiting));
}
