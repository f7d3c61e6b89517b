import { type BatchWorkerDependencies, LEASE_MS, type RunLine, runBatch } from "./run-batch.ts";

const CONCURRENT_BATCHES_MAX = 2;
/** Batches that another instance was told of, or left, are looked for so often. */
const POLL_MS = 2_000;

/** Works on batches, a few at a time, on however many instances: each batch has one worker at a time. */
export class BatchWorker {
  readonly #tools: Omit<BatchWorkerDependencies, "runLine" | "heed">;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** Those who work on a batch, and want to hear of it. */
  readonly #listeners = new Set<() => void>();
  #runLine: RunLine | undefined;
  #timer: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #isWoken = false;

  constructor(tools: Omit<BatchWorkerDependencies, "runLine" | "heed">, onTrouble: (error: unknown) => void) {
    this.#tools = tools;
    this.#onError = onTrouble;
  }

  /** From now on it works, each line by way of `runLine`. */
  start(runLine: RunLine): void {
    this.#runLine = runLine;
    this.#timer = setInterval(() => this.wake(), POLL_MS);
    this.#timer.unref();
    this.wake();
  }

  /** There may be something to do. */
  wake(): void {
    if (this.#runLine === undefined || this.#stop.signal.aborted) return;
    this.#isWoken = true;
    for (const look of this.#listeners) look();
    this.#claiming ??= this.#claimBatches().finally(() => {
      this.#claiming = undefined;
    });
  }

  /** Leaves every batch where it is, for the next to go on with. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort(new Error("The service is stopping."));
    await this.#claiming;
    await Promise.all(this.#running);
  }

  #onWake = (look: () => void) => {
    this.#listeners.add(look);
    return () => void this.#listeners.delete(look);
  };

  async #claimBatches(): Promise<void> {
    while (this.#isWoken && this.#running.size < CONCURRENT_BATCHES_MAX && !this.#stop.signal.aborted) {
      const batch = await this.#tools.batches.claim(LEASE_MS).catch(this.#onError);
      this.#isWoken = batch !== undefined;
      if (batch === undefined || this.#runLine === undefined) return;
      const tools = { ...this.#tools, runLine: this.#runLine, heed: this.#onWake };
      const running = runBatch(tools, batch, this.#stop.signal)
        .catch(this.#onError)
        .finally(() => {
          this.#running.delete(running);
          this.wake();
        });
      this.#running.add(running);
    }
  }
}
