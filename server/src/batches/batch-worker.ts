import { type BatchTools, LEASE_MS, type RunLine, runBatch } from "./run-batch.ts";

const BATCHES_AT_ONCE = 2;
/** Batches that another instance was told of, or left, are looked for so often. */
const LOOK_MS = 2_000;

/** Works on batches, a few at a time, on however many instances: each batch has one worker at a time. */
export class BatchWorker {
  readonly #tools: Omit<BatchTools, "runLine" | "heed">;
  readonly #onTrouble: (error: unknown) => void;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** Those who work on a batch, and want to hear of it. */
  readonly #listeners = new Set<() => void>();
  #runLine: RunLine | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isToLookAgain = false;

  constructor(tools: Omit<BatchTools, "runLine" | "heed">, onTrouble: (error: unknown) => void) {
    this.#tools = tools;
    this.#onTrouble = onTrouble;
  }

  /** From now on it works, each line by way of `runLine`. */
  begin(runLine: RunLine): void {
    this.#runLine = runLine;
    this.#timer = setInterval(() => this.poke(), LOOK_MS);
    this.#timer.unref();
    this.poke();
  }

  /** There may be something to do. */
  poke(): void {
    if (this.#runLine === undefined || this.#stop.signal.aborted) return;
    this.#isToLookAgain = true;
    for (const look of this.#listeners) look();
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  /** Leaves every batch where it is, for the next to go on with. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort(new Error("The service is stopping."));
    await this.#looking;
    await Promise.all(this.#running);
  }

  #heed = (look: () => void) => {
    this.#listeners.add(look);
    return () => void this.#listeners.delete(look);
  };

  async #look(): Promise<void> {
    while (this.#isToLookAgain && this.#running.size < BATCHES_AT_ONCE && !this.#stop.signal.aborted) {
      const batch = await this.#tools.batches.claim(LEASE_MS).catch(this.#onTrouble);
      this.#isToLookAgain = batch !== undefined;
      if (batch === undefined || this.#runLine === undefined) return;
      const tools = { ...this.#tools, runLine: this.#runLine, heed: this.#heed };
      const running = runBatch(tools, batch, this.#stop.signal)
        .catch(this.#onTrouble)
        .finally(() => {
          this.#running.delete(running);
          this.poke();
        });
      this.#running.add(running);
    }
  }
}
