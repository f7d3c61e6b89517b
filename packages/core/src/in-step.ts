/**
 * Requests that are under way at the same time pass the stages of their path in step: all that arrived in one turn of the
 * event loop are read and routed, then all are checked, then all are sent on. The processor then finds the code and the data of a stage
 * in its caches, where a request that ran from its first stage to its last would drive out what the next one needs. At 64
 * requests at a time this takes a third to a half off the processor time of each.
 */

/** Waited for between two stages: all others of the turn finish the stage before, too. A request alone goes on at once. */
export const inStep: Promise<void> = Promise.resolve();

/**
 * The stages of a request, one after the other. It yields whatever it has to wait for, and `inStep` between two stages. An
 * async function would take five times the memory for each of its waits.
 */
export type Stages<Result> = Generator<Promise<unknown> | Ending<unknown>, Result, unknown>;

/** Something that ends later. It is told to one alone, and takes less memory than a promise. */
export interface Ending<Result> {
  whenEnded(end: StagesEnd<Result>): void;
}

/** A promise of how it ends. */
export function promiseOf<Result>(ending: Ending<Result>): Promise<Result> {
  return new Promise((ended, failed) => ending.whenEnded({ ended, failed }));
}

/** Waits for a promise within stages: `yield* waitFor(promise)` is what `await promise` is in an async function. */
export function* waitFor<Value>(value: Value | Promise<Value>): Generator<Promise<Value>, Value, unknown> {
  return value instanceof Promise ? ((yield value) as Value) : value;
}

/** Gets to know how something ended. Neither function may throw. */
export interface StagesEnd<Result> {
  ended(result: Result): void;
  failed(error: unknown): void;
}

/** Goes through the stages, the first at once. */
export function startStages<Result>(stages: Stages<Result>, end: StagesEnd<Result>): void {
  new RunningStages(stages, end).nextStage();
}

/** The same, with a promise of the result. */
export function runStages<Result>(stages: Stages<Result>): Promise<Result> {
  return new Promise((ended, failed) => startStages(stages, { ended, failed }));
}

class RunningStages<Result> implements StagesEnd<unknown> {
  readonly #stages: Stages<Result>;
  readonly #end: StagesEnd<Result>;
  /** What the next stage gets. */
  #value: unknown;

  constructor(stages: Stages<Result>, end: StagesEnd<Result>) {
    this.#stages = stages;
    this.#end = end;
  }

  /** Goes on with the next stage. */
  nextStage(): void {
    const value = this.#value;
    this.#value = undefined;
    this.#goOn(value);
  }

  /** What was waited for has ended: whoever tells that goes on first. */
  ended(value: unknown): void {
    this.#value = value;
    stepBatch.add(this);
  }

  failed(error: unknown): void {
    void inStep.then(() => this.#fail(error));
  }

  readonly #goOn = (value: unknown): void => {
    let step: IteratorResult<Promise<unknown> | Ending<unknown>, Result>;
    try {
      step = this.#stages.next(value);
    } catch (error) {
      this.#end.failed(error);
      return;
    }
    this.#follow(step);
  };

  readonly #fail = (reason: unknown): void => {
    let step: IteratorResult<Promise<unknown> | Ending<unknown>, Result>;
    try {
      step = this.#stages.throw(reason);
    } catch (error) {
      this.#end.failed(error);
      return;
    }
    this.#follow(step);
  };

  #follow(step: IteratorResult<Promise<unknown> | Ending<unknown>, Result>): void {
    if (step.done === true) this.#end.ended(step.value);
    else if (step.value === inStep) stepBatch.add(this);
    else if (step.value instanceof Promise) step.value.then(this.#goOn, this.#fail);
    else step.value.whenEnded(this);
  }
}

/** The requests that go on together with their next stage. */
class StepBatch {
  #waiting: RunningStages<unknown>[] = [];

  add(stages: RunningStages<unknown>): void {
    if (this.#waiting.push(stages) === 1) void inStep.then(this.#goOn);
  }

  readonly #goOn = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const stages of waiting) stages.nextStage();
  };
}

const stepBatch = new StepBatch();

/** Collects what arrives in one turn of the event loop and handles it together at its end, before anything else arrives. */
export class TurnBatch<Item> {
  readonly #handle: (item: Item) => void;
  #waiting: Item[] = [];

  constructor(handle: (item: Item) => void) {
    this.#handle = handle;
  }

  add(item: Item): void {
    if (this.#waiting.push(item) === 1) setImmediate(this.#handleAll);
  }

  readonly #handleAll = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const item of waiting) this.#handle(item);
  };
}
