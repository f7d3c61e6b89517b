import type { Clock } from "@trunkline/core/clock.ts";
import type {
  Batch,
  BatchError,
  BatchEvent,
  BatchLine,
  BatchStore,
  FileStore,
  FinalBatchStatus,
  NotRunReason,
} from "./batches.ts";
import { readBatchFile } from "./read-batch-file.ts";

const CONCURRENT_BATCHES_MAX = 2;
/** How often it looks for batches that another instance created or left. */
const POLL_MS = 2_000;

/** Runs batches, a few at a time, on any number of instances. Each batch has one worker at a time. */
export class BatchWorker {
  readonly #dependencies: Omit<BatchWorkerDependencies, "runLine" | "onWake">;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** Called by `wake`: one for each running batch. */
  readonly #listeners = new Set<() => void>();
  #runLine: RunLine | undefined;
  #timer: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #isWoken = false;

  constructor(dependencies: Omit<BatchWorkerDependencies, "runLine" | "onWake">, onError: (error: unknown) => void) {
    this.#dependencies = dependencies;
    this.#onError = onError;
  }

  /** Starts to work. `runLine` runs each line. */
  start(runLine: RunLine): void {
    this.#runLine = runLine;
    this.#timer = setInterval(() => this.wake(), POLL_MS);
    this.#timer.unref();
    this.wake();
  }

  /** Checks for work now: a batch may be new or cancelled. */
  wake(): void {
    if (this.#runLine === undefined || this.#stop.signal.aborted) return;
    this.#isWoken = true;
    for (const listener of this.#listeners) listener();
    this.#claiming ??= this.#claimBatches().finally(() => {
      this.#claiming = undefined;
    });
  }

  /** Leaves every batch as it is. Another instance continues it. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort(new Error("The service is stopping."));
    await this.#claiming;
    await Promise.all(this.#running);
  }

  #onWake = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  async #claimBatches(): Promise<void> {
    while (this.#isWoken && this.#running.size < CONCURRENT_BATCHES_MAX && !this.#stop.signal.aborted) {
      const batch = await this.#dependencies.batches.claim(LEASE_MS).catch(this.#onError);
      this.#isWoken = batch !== undefined;
      if (batch === undefined || this.#runLine === undefined) return;
      const dependencies = { ...this.#dependencies, runLine: this.#runLine, onWake: this.#onWake };
      const running = runBatch(dependencies, batch, this.#stop.signal)
        .catch(this.#onError)
        .finally(() => {
          this.#running.delete(running);
          this.wake();
        });
      this.#running.add(running);
    }
  }
}

/** The outcome of one line. */
export type LineOutcome =
  | { readonly kind: "done"; readonly failed: boolean; readonly result: string }
  /** Refused for lack of money or rate, or aborted by us: it is retried. */
  | { readonly kind: "later"; readonly afterMs: number }
  /** The key that created the batch is revoked or expired. */
  | { readonly kind: "key-gone" };

/** Serves one line of a batch. The signal aborts it. */
export type RunLine = (batch: Batch, line: BatchLine, signal: AbortSignal) => Promise<LineOutcome>;

interface BatchWorkerDependencies {
  readonly batches: BatchStore;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly runLine: RunLine;
  /** Whether the instance can run another line besides its clients' requests. */
  readonly hasCapacity: () => boolean;
  readonly eventOf: (batch: Batch) => BatchEvent;
  /** Registers a listener for `wake`. Returns the function that removes it. */
  readonly onWake: (listener: () => void) => () => void;
  /** Called when the event of a batch's end was queued. */
  readonly onEventQueued: () => void;
}

const CONCURRENT_LINES_MAX = 4;
const LEASE_MS = 30_000;
const LEASE_RENEWAL_MS = 2_000;
/** A batch whose lines must all wait at least this long makes room for others. */
const RELEASE_AFTER_MS = 2_000;
const CAPACITY_RETRY_MS = 100;

const EXPIRED: NotRunReason = {
  code: "batch_expired",
  message: "The batch's window ended before this was run.",
};
const CANCELLED: NotRunReason = {
  code: "batch_cancelled",
  message: "The batch was cancelled before this was run.",
};
const KEY_GONE: NotRunReason = {
  code: "invalid_api_key",
  message: "The key that made this batch is revoked or expired.",
};

/** Runs a claimed batch until it ends, must pause, or `stop` aborts. */
async function runBatch(dependencies: BatchWorkerDependencies, batch: Batch, stop: AbortSignal): Promise<void> {
  if (batch.status === "validating" && !(await validate(dependencies, batch))) return;
  const run = new BatchRun(dependencies, batch, stop);
  await run.work();
}

/** Reads the batch's file. False where it is invalid: then the batch has failed. */
async function validate(
  { batches, files, clock, eventOf, onEventQueued }: BatchWorkerDependencies,
  batch: Batch,
): Promise<boolean> {
  const now = new Date(clock.now());
  const content = await files.content(batch.accountId, batch.inputFileId);
  const result =
    content === undefined
      ? {
          errors: [{ code: "file_gone", message: "The file was deleted.", line: null, param: "input_file_id" }],
        }
      : readBatchFile(content, batch.endpoint);
  if ("lines" in result) {
    await batches.start(batch.id, result.lines, now);
    return true;
  }
  await batches.finish(batch.id, "failed", { now, reason: undefined, errors: result.errors }, eventOf);
  onEventQueued();
  return false;
}

/** Runs the lines of one batch, a few at a time. */
class BatchRun {
  readonly #dependencies: BatchWorkerDependencies;
  readonly #batch: Batch;
  /** Aborts running lines when the service stops. */
  readonly #stop: AbortSignal;
  /** The lines that are neither finished nor running. */
  readonly #remaining = new Set<number>();
  readonly #running = new Set<Promise<void>>();
  /** Why no more lines are started; undefined while they are. */
  #ending:
    | {
        readonly end: FinalBatchStatus;
        readonly reason: NotRunReason;
        readonly errors: readonly BatchError[];
      }
    | undefined;
  /** When one line lacks money or rate, the others do too. No line is started before this time. */
  #pausedUntil = 0;
  #hasProgress = false;
  #isLost = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(dependencies: BatchWorkerDependencies, batch: Batch, stop: AbortSignal) {
    this.#dependencies = dependencies;
    this.#batch = batch;
    this.#stop = stop;
  }

  async work(): Promise<void> {
    const { batches, clock, eventOf, onEventQueued, onWake } = this.#dependencies;
    const { id } = this.#batch;
    for (const line of await batches.pending(id)) this.#remaining.add(line);
    const removeListener = onWake(() => void this.#renewLease().catch(() => undefined));
    const renewal = setInterval(() => void this.#renewLease().catch(() => undefined), LEASE_RENEWAL_MS);
    let pauseMs = 0;
    try {
      await this.#renewLease();
      pauseMs = await this.#runLines();
    } finally {
      clearInterval(renewal);
      removeListener();
      // Running lines end by themselves, or by the signal that each of them observes.
      await Promise.all(this.#running);
    }
    if (this.#isLost) return;
    const isOver = this.#remaining.size === 0 || this.#ending !== undefined;
    if (this.#failure !== undefined || this.#stop.aborted || !isOver) {
      await batches.release(id, this.#failure === undefined ? pauseMs : RELEASE_AFTER_MS, this.#hasProgress);
      if (this.#failure !== undefined) throw this.#failure.error;
      return;
    }
    const now = new Date(clock.now());
    const { end, reason, errors } = this.#ending ?? { end: "completed" as const, reason: undefined, errors: [] };
    if (end === "completed") await batches.markFinalizing(id, now);
    await batches.finish(id, end, { now, reason, errors }, eventOf);
    onEventQueued();
  }

  /** Starts lines until none is left or none may be started. Returns how long the remaining lines must wait. */
  async #runLines(): Promise<number> {
    const { hasCapacity, clock } = this.#dependencies;
    for (;;) {
      if (clock.now() >= this.#batch.expiresAt.getTime())
        this.#ending ??= { end: "expired", reason: EXPIRED, errors: [] };
      if (this.#remaining.size === 0 && this.#running.size === 0) return 0;
      if (this.#stop.aborted || this.#isLost || this.#ending !== undefined || this.#failure !== undefined) return 0;
      const [next] = this.#remaining;
      const waitMs = this.#pausedUntil - clock.now();
      const mayStart = next !== undefined && this.#running.size < CONCURRENT_LINES_MAX;
      if (mayStart && waitMs <= 0 && hasCapacity()) {
        this.#start(next);
        continue;
      }
      if (this.#running.size === 0 && waitMs >= RELEASE_AFTER_MS) return waitMs;
      await this.#wait(mayStart ? Math.max(waitMs, CAPACITY_RETRY_MS) : LEASE_RENEWAL_MS);
    }
  }

  #start(line: number): void {
    this.#remaining.delete(line);
    const running = this.#run(line)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #run(number: number): Promise<void> {
    const { batches, runLine, clock } = this.#dependencies;
    const line = await batches.line(this.#batch.id, number);
    if (line === undefined) return;
    const outcome = await runLine(this.#batch, line, this.#stop);
    if (outcome.kind === "done") {
      this.#hasProgress = true;
      return batches.recordResult(this.#batch.id, number, outcome.failed, outcome.result);
    }
    this.#remaining.add(number);
    if (outcome.kind === "later") this.#pausedUntil = Math.max(this.#pausedUntil, clock.now() + outcome.afterMs);
    else
      this.#ending ??= {
        end: "failed",
        reason: KEY_GONE,
        errors: [{ ...KEY_GONE, line: null, param: null }],
      };
  }

  /** Renews the lease, and learns whether the batch was cancelled. */
  async #renewLease(): Promise<void> {
    const status = await this.#dependencies.batches.renew(this.#batch.id, LEASE_MS);
    if (status === undefined) this.#isLost = true;
    if (status === "cancelling") this.#ending ??= { end: "cancelled", reason: CANCELLED, errors: [] };
  }

  /** Waits until a line has finished, the time has passed, or the service stops. */
  async #wait(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    let wake: () => void = () => undefined;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
      timer = setTimeout(resolve, Math.max(1, Math.min(ms, LEASE_RENEWAL_MS)));
    });
    this.#stop.addEventListener("abort", wake);
    await Promise.race([woken, ...this.#running]);
    clearTimeout(timer);
    this.#stop.removeEventListener("abort", wake);
  }
}
