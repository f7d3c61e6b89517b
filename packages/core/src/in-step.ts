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
export type Stages<Result> = Generator<Promise<unknown> | Completion<unknown>, Result, unknown>;

/** Something that completes later, with a single listener. It takes less memory than a promise. */
export interface Completion<Result> {
  whenCompleted(listener: CompletionListener<Result>): void;
}

/**
 * A wait that is over once something has come. It never fails, and one object does for all waits of a reader, one after the
 * other.
 */
export class Arrival implements Completion<void> {
  #listener: CompletionListener<void> | undefined;
  #hasCome = false;

  /** The wait for a promise that never rejects. */
  static of(promise: Promise<unknown>): Arrival {
    const arrival = new Arrival();
    void promise.then(() => arrival.come());
    return arrival;
  }

  /** Begins the next wait. */
  begin(): this {
    this.#hasCome = false;
    return this;
  }

  /** Ends the wait. */
  come(): void {
    const listener = this.#listener;
    this.#listener = undefined;
    if (listener === undefined) this.#hasCome = true;
    else listener.completed();
  }

  whenCompleted(listener: CompletionListener<void>): void {
    if (this.#hasCome) listener.completed();
    else this.#listener = listener;
  }
}

/** A promise of its result. */
export function promiseOf<Result>(completion: Completion<Result>): Promise<Result> {
  return new Promise((completed, failed) => completion.whenCompleted({ completed, failed }));
}

/** Waits for a promise within stages: `yield* waitFor(promise)` is what `await promise` is in an async function. */
export function* waitFor<Value>(value: Value | Promise<Value>): Generator<Promise<Value>, Value, unknown> {
  return value instanceof Promise ? ((yield value) as Value) : value;
}

/** Is called with the result or with the error. Neither function may throw. */
export interface CompletionListener<Result> {
  completed(result: Result): void;
  failed(error: unknown): void;
}

/** Goes through the stages, the first at once. */
export function startStages<Result>(stages: Stages<Result>, listener: CompletionListener<Result>): void {
  new RunningStages(stages, listener).nextStage();
}

/** The same, with a promise of the result. */
export function runStages<Result>(stages: Stages<Result>): Promise<Result> {
  return new Promise((completed, failed) => startStages(stages, { completed, failed }));
}

class RunningStages<Result> implements CompletionListener<unknown> {
  readonly #stages: Stages<Result>;
  readonly #listener: CompletionListener<Result>;
  /** What the next stage gets. */
  #value: unknown;

  constructor(stages: Stages<Result>, listener: CompletionListener<Result>) {
    this.#stages = stages;
    this.#listener = listener;
  }

  /** Goes on with the next stage. */
  nextStage(): void {
    const value = this.#value;
    this.#value = undefined;
    this.#goOn(value);
  }

  /** What was waited for is complete. The caller goes on first, and then all that it completed together. */
  completed(value: unknown): void {
    this.#value = value;
    stepBatch.add(this);
  }

  failed(error: unknown): void {
    void inStep.then(() => this.#fail(error));
  }

  readonly #goOn = (value: unknown): void => this.#advance(value, false);

  readonly #fail = (reason: unknown): void => this.#advance(reason, true);

  #advance(value: unknown, isError: boolean): void {
    let step: ReturnType<Stages<Result>["next"]>;
    try {
      step = isError ? this.#stages.throw(value) : this.#stages.next(value);
    } catch (error) {
      this.#listener.failed(error);
      return;
    }
    if (step.done === true) this.#listener.completed(step.value);
    else if (step.value === inStep) stepBatch.add(this);
    else if (step.value instanceof Promise) step.value.then(this.#goOn, this.#fail);
    else step.value.whenCompleted(this);
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
