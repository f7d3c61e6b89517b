import { Worker } from "node:worker_threads";
import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { type FliteRequest, type FliteResult, runFlite } from "./run-flite.ts";

/** The thread ends after this long without work, to free its memory. */
const IDLE_MS = 60_000;
/** A longer queue would take longer than clients wait. */
const WAITING_MAX = 16;

/**
 * The thread's program as source text: the service is bundled into one file, so there is no second file to start. Some
 * compilers wrap functions in `__name`, which does nothing in the thread.
 */
const WORKER_PROGRAM = `
const __name = (target) => target;
const runFlite = ${runFlite.toString()};
const { parentPort, workerData } = require("node:worker_threads");
const module_ = new WebAssembly.Module(require("node:fs").readFileSync(workerData.wasmPath));
parentPort.on("message", (order) => parentPort.postMessage(runFlite(module_, order)));
`;

interface Job {
  readonly order: FliteRequest;
  readonly signal: CancelSignal;
  readonly resolve: (run: FliteResult) => void;
  readonly reject: (reason: unknown) => void;
  /** Removes the job from the queue. */
  readonly leave: () => void;
}

/** Runs flite in its own thread, one job after the other. The first job starts the thread. */
export class FliteWorker {
  readonly #wasmPath: string;
  readonly #waiting: Job[] = [];
  #worker: Worker | undefined;
  #isBusy = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(wasmPath: string) {
    this.#wasmPath = wasmPath;
  }

  /** Runs one job. Aborting ends it at once. */
  async run(order: FliteRequest, signal: CancelSignal): Promise<FliteResult> {
    signal.throwIfAborted();
    if (this.#waiting.length >= WAITING_MAX) {
      throw new ProviderFailure("rate-limited", "The built-in voice is busy; try again in a few seconds.", {
        retryAfterSeconds: 5,
        blamesEndpoint: false,
      });
    }
    return new Promise<FliteResult>((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(job), 1);
        reject(signal.reason);
      };
      const job: Job = { order, signal, resolve, reject, leave };
      this.#waiting.push(job);
      signal.addEventListener("abort", leave, { once: true });
      this.#startNext();
    });
  }

  /** Ends the thread. A later run starts a new one. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #startNext(): void {
    if (this.#isBusy) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#isBusy = true;
    job.signal.removeEventListener("abort", job.leave);
    clearTimeout(this.#idleTimer);
    const worker = this.#takeWorker();

    const finish = (settle: () => void) => {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      job.signal.removeEventListener("abort", onAbort);
      worker.unref();
      this.#isBusy = false;
      settle();
      this.#idleTimer = setTimeout(() => void this.close(), IDLE_MS).unref();
      this.#startNext();
    };
    /** A run can't be interrupted, so its thread is ended. */
    const endWith = (reason: unknown) => {
      if (this.#worker === worker) this.#worker = undefined;
      finish(() => job.reject(reason));
      void worker.terminate();
    };
    const onMessage = (run: FliteResult) => finish(() => job.resolve(run));
    const onAbort = () => endWith(job.signal.reason);
    const onError = (cause: unknown) => endWith(stopped({ cause }));
    const onExit = () => endWith(stopped());

    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    job.signal.addEventListener("abort", onAbort, { once: true });
    // Only a run keeps the process alive, not an idle thread.
    worker.ref();
    worker.postMessage(job.order);
  }

  #takeWorker(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(WORKER_PROGRAM, {
      eval: true,
      workerData: { wasmPath: this.#wasmPath },
      // The thread gets none of the service's settings.
      env: {},
      execArgv: [],
    });
    // An error without a listener would end the process. A run adds its own listener.
    worker.on("error", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    return worker;
  }
}

function stopped(options?: ErrorOptions): ProviderFailure {
  return new ProviderFailure("broken", "The built-in voice stopped in the middle of its work.", {}, options);
}
