import { Worker } from "node:worker_threads";
import { ProviderFailure } from "../../../domain/attempt.ts";
import { type FliteRun, runFlite } from "./run-flite.ts";

/** After this long without work the thread goes, and its memory with it. */
const IDLE_MS = 60_000;
/** More than this many waiting would wait longer than anyone does. */
const WAITING_MAX = 16;

/**
 * The whole program of the thread, as text: the service is bundled into one file, so there is no second file to start.
 * Some compilers wrap functions in `__name` to keep their names; in the thread that does nothing.
 */
const PROGRAM = `
const __name = (target) => target;
const runFlite = ${runFlite.toString()};
const { parentPort, workerData } = require("node:worker_threads");
const module_ = new WebAssembly.Module(require("node:fs").readFileSync(workerData.wasmPath));
parentPort.on("message", ({ args, bytesMax }) => parentPort.postMessage(runFlite(module_, args, bytesMax)));
`;

interface Job {
  readonly args: readonly string[];
  readonly bytesMax: number;
  readonly signal: AbortSignal;
  readonly resolve: (run: FliteRun) => void;
  readonly reject: (reason: unknown) => void;
}

/** Runs flite in a thread of its own, one job after the other. The thread is started when first needed. */
export class Speaker {
  readonly #wasmPath: string;
  readonly #waiting: Job[] = [];
  #worker: Worker | undefined;
  #isBusy = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(wasmPath: string) {
    this.#wasmPath = wasmPath;
  }

  /** Runs flite with these arguments; what it writes may have so many bytes. Aborting ends the run at once. */
  async run(args: readonly string[], bytesMax: number, signal: AbortSignal): Promise<FliteRun> {
    signal.throwIfAborted();
    if (this.#waiting.length >= WAITING_MAX) {
      throw new ProviderFailure("rate-limited", "The built-in voice is busy; try again in a few seconds.", {
        retryAfterSeconds: 5,
        blamesEndpoint: false,
      });
    }
    return new Promise<FliteRun>((resolve, reject) => {
      const job = { args, bytesMax, signal, resolve, reject };
      this.#waiting.push(job);
      signal.addEventListener("abort", () => this.#leaveQueue(job), { once: true });
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

  #leaveQueue(job: Job): void {
    const place = this.#waiting.indexOf(job);
    if (place === -1) return;
    this.#waiting.splice(place, 1);
    job.reject(job.signal.reason);
  }

  #startNext(): void {
    if (this.#isBusy) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#isBusy = true;
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
    /** A run can't be called back, so the thread that runs it ends with it. */
    const endWith = (reason: unknown) => {
      if (this.#worker === worker) this.#worker = undefined;
      finish(() => job.reject(reason));
      void worker.terminate();
    };
    const onMessage = (run: FliteRun) => finish(() => job.resolve(run));
    const onAbort = () => endWith(job.signal.reason);
    const onError = (cause: unknown) => endWith(stopped({ cause }));
    const onExit = () => endWith(stopped());

    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    job.signal.addEventListener("abort", onAbort, { once: true });
    // The process stays for a run that someone waits for, never for an idle thread.
    worker.ref();
    worker.postMessage({ args: job.args, bytesMax: job.bytesMax });
  }

  #takeWorker(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(PROGRAM, {
      eval: true,
      workerData: { wasmPath: this.#wasmPath },
      // Nothing of the service's own settings is any business of the thread.
      env: {},
      execArgv: [],
    });
    // An error without a listener would end the process; a run adds its own.
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
