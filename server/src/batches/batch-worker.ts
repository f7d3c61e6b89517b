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

/** What became of one line that was sent down the line. */
export type LineOutcome =
  | { readonly kind: "done"; readonly failed: boolean; readonly result: string }
  /** Refused for lack of money or of rate, or broken off on our side: to be tried again. */
  | { readonly kind: "later"; readonly afterMs: number }
  /** The key in whose name it went is gone. */
  | { readonly kind: "nobody" };

/** Sends one line of a batch down the line. Ended by the signal. */
export type RunLine = (batch: Batch, line: BatchLine, signal: AbortSignal) => Promise<LineOutcome>;

/** What a batch is run with. */
interface BatchWorkerDependencies {
  readonly batches: BatchStore;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly runLine: RunLine;
  /** Whether there is room for another line beside what clients are waiting for. */
  readonly hasCapacity: () => boolean;
  readonly eventOf: (batch: Batch) => BatchEvent;
  /** Calls back whenever somebody may want something of a batch that runs, until what it returns is called. */
  readonly heed: (look: () => void) => () => void;
  /** Called when the account may have to be told of a batch's end. */
  readonly onEventQueued: () => void;
}

const CONCURRENT_LINES_MAX = 4;
const LEASE_MS = 30_000;
const LEASE_RENEWAL_MS = 2_000;
/** A batch all of whose lines wait at least so long makes place for others. */
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

/** Works on one batch that was claimed, until it is over, must rest, or `stop` says so. */
async function runBatch(tools: BatchWorkerDependencies, batch: Batch, stop: AbortSignal): Promise<void> {
  if (batch.status === "validating" && !(await validate(tools, batch))) return;
  const run = new BatchRun(tools, batch, stop);
  await run.work();
}

/** False where the file is no good, and the batch over. */
async function validate(
  { batches, files, clock, eventOf, onEventQueued: told }: BatchWorkerDependencies,
  batch: Batch,
): Promise<boolean> {
  const now = new Date(clock.now());
  const content = await files.content(batch.accountId, batch.inputFileId);
  const reading =
    content === undefined
      ? {
          errors: [{ code: "file_gone", message: "The file was deleted.", line: null, param: "input_file_id" }],
        }
      : readBatchFile(content, batch.endpoint);
  if ("lines" in reading) {
    await batches.start(batch.id, reading.lines, now);
    return true;
  }
  await batches.finish(batch.id, "failed", { now, reason: undefined, errors: reading.errors }, eventOf);
  told();
  return false;
}

/** The lines of one batch, a few at a time. */
class BatchRun {
  readonly #tools: BatchWorkerDependencies;
  readonly #batch: Batch;
  /** Ends what runs: the service stops. */
  readonly #stop: AbortSignal;
  /** The lines that are neither done nor running. */
  readonly #remaining = new Set<number>();
  readonly #running = new Set<Promise<void>>();
  /** Why nothing more is begun; undefined while there is no reason. */
  #ending:
    | {
        readonly end: FinalBatchStatus;
        readonly reason: NotRunReason;
        readonly errors: readonly BatchError[];
      }
    | undefined;
  /** What one line lacks, money or rate, the others lack as well: nothing is begun before. */
  #pausedUntil = 0;
  #hasProgress = false;
  #isLost = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(tools: BatchWorkerDependencies, batch: Batch, stop: AbortSignal) {
    this.#tools = tools;
    this.#batch = batch;
    this.#stop = stop;
  }

  async work(): Promise<void> {
    const { batches, clock, eventOf, onEventQueued: told, heed } = this.#tools;
    const { id } = this.#batch;
    for (const line of await batches.pending(id)) this.#remaining.add(line);
    const unheed = heed(() => void this.#renewLease().catch(() => undefined));
    const watch = setInterval(() => void this.#renewLease().catch(() => undefined), LEASE_RENEWAL_MS);
    let pauseMs = 0;
    try {
      await this.#renewLease();
      pauseMs = await this.#runLines();
    } finally {
      clearInterval(watch);
      unheed();
      // Whatever ended it, what runs is run to its end, or broken off by the signal that each line heeds.
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
    const {
      end,
      reason: notRunReason,
      errors,
    } = this.#ending ?? {
      end: "completed" as const,
      reason: undefined,
      errors: [],
    };
    if (end === "completed") await batches.markFinalizing(id, now);
    await batches.finish(id, end, { now, reason: notRunReason, errors }, eventOf);
    told();
  }

  /** Begins lines until none is left or nothing may be begun; says how long all that is left has to wait. */
  async #runLines(): Promise<number> {
    const { hasCapacity: hasRoom, clock } = this.#tools;
    for (;;) {
      if (clock.now() >= this.#batch.expiresAt.getTime())
        this.#ending ??= { end: "expired", reason: EXPIRED, errors: [] };
      if (this.#remaining.size === 0 && this.#running.size === 0) return 0;
      if (this.#stop.aborted || this.#isLost || this.#ending !== undefined || this.#failure !== undefined) return 0;
      const [next] = this.#remaining;
      const waitMs = this.#pausedUntil - clock.now();
      const mayBegin = next !== undefined && this.#running.size < CONCURRENT_LINES_MAX;
      if (mayBegin && waitMs <= 0 && hasRoom()) {
        this.#begin(next);
        continue;
      }
      if (this.#running.size === 0 && waitMs >= RELEASE_AFTER_MS) return waitMs;
      await this.#wait(mayBegin ? Math.max(waitMs, CAPACITY_RETRY_MS) : LEASE_RENEWAL_MS);
    }
  }

  #begin(line: number): void {
    this.#remaining.delete(line);
    const running = this.#run(line)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #run(number: number): Promise<void> {
    const { batches, runLine, clock } = this.#tools;
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

  /** Keeps the lease, and hears whether somebody wants it to end. */
  async #renewLease(): Promise<void> {
    const status = await this.#tools.batches.renew(this.#batch.id, LEASE_MS);
    if (status === undefined) this.#isLost = true;
    if (status === "cancelling") this.#ending ??= { end: "cancelled", reason: CANCELLED, errors: [] };
  }

  /** Until a line is done, some time has passed, or the service stops. */
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
