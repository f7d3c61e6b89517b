import { setTimeout as wait } from "node:timers/promises";
import { StartupError } from "@trunkline/core/fault.ts";
import type { Logger } from "@trunkline/core/log.ts";
import type { EmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import { AggregatorRegistry, type MetricObject } from "prom-client";
import type { Config } from "../config/config.ts";
import type { Outcome } from "../control-socket.ts";
import type { MetricValues } from "../metrics.ts";
import { compareConfigs, describeReload } from "../reload-config.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { PortAddresses } from "./messages.ts";
import { IN_ORDER, type WorkerEnd, WorkerProcess } from "./worker-process.ts";

/** A worker that served this long counts as sound: those that ended before it are forgotten. */
const STABLE_AFTER_MS = 10_000;
/** After so many workers in a row that ended soon after their start, the service ends. */
const EARLY_ENDS_MAX = 5;
/** How many signs of life a worker is asked for within the time after which it counts as hung. */
const SIGNS_OF_LIFE = 3;
const FIRST_PAUSE_MS = 100;
const PAUSE_MS_MAX = 5_000;

interface PrimaryOptions {
  /** What the workers were started with. */
  readonly config: Config;
  readonly workers: number;
  readonly port: number;
  readonly host: string;
  /** The port of plain HTTP before TLS; undefined: there is none. */
  readonly httpPort: number | undefined;
  /** How long the workers say at `/readyz` that they are about to stop, before the port is closed. */
  readonly lameDuckMs: number;
  readonly log: Logger;
  /** Starts the embedded PostgreSQL; undefined: the settings name a server. */
  readonly startStore: () => Promise<EmbeddedPostgres | undefined>;
  /** Called when the workers end again and again, after all of them were stopped. */
  readonly onFailure: (reason: string) => void;
}

/** Several processes that serve one port. */
export interface RunningWorkers {
  readonly startBanner: string;
  /** All workers stop in order, and then PostgreSQL. */
  stop(): Promise<void>;
  /** Replaces the workers one after the other, which read the configuration again. Each serves until its successor does. */
  reload(next: Config): Promise<Outcome>;
}

/** Starts the workers. What was started is stopped again where a later step fails. */
export async function startWorkers(options: PrimaryOptions): Promise<RunningWorkers> {
  const primary = new Primary(options);
  return { startBanner: await primary.start(), stop: () => primary.stop(), reload: (next) => primary.reload(next) };
}

class Primary {
  readonly #options: PrimaryOptions;
  readonly #log: Logger;
  readonly #dispatcher = new Dispatcher();
  #store: EmbeddedPostgres | undefined;
  #addresses: PortAddresses | undefined;
  /** The worker that serves under each number. */
  readonly #serving = new Map<number, WorkerProcess>();
  /** All that run: also successors that are not ready yet, and workers that finish their last requests. */
  readonly #running = new Set<WorkerProcess>();
  /** The sums of the workers that have ended. Without them the counters would fall when one is replaced. */
  #endedMetrics: MetricValues = [];
  #earlyEnds = 0;
  #isStopping = false;
  #config: Config;
  #restarting: Promise<Outcome> | undefined;

  constructor(options: PrimaryOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#log = options.log;
  }

  /** Resolves with the start banner when the first worker serves. The others join it when they are ready. */
  async start(): Promise<string> {
    // Forked now: it reads its program while the database starts. The others would only take its time.
    const first = this.#fork(1);
    try {
      this.#store = await this.#options.startStore();
      // The first one migrates the schema. The rest must find it done.
      this.#open(first, true);
      await unlessEnded(first, first.prepared);
      this.#addresses = await this.#listen();
      first.tell({ kind: "serve", addresses: this.#addresses });
      const startBanner = await unlessEnded(first, first.ready);
      if (!first.isReady) throw new StartupError(`The worker ${first.number} ended while it started.`);
      this.#serving.set(first.number, first);
      this.#dispatcher.add(first);
      for (let number = 2; number <= this.#options.workers; number++) this.#join(this.#fork(number));
      this.#watchWorkers();
      return startBanner;
    } catch (error) {
      this.#isStopping = true;
      this.#dispatcher.close();
      first.kill();
      await first.ended;
      await this.#store?.stop();
      throw error;
    }
  }

  /** Where systemd guards this process, this one guards its workers: one whose loop hangs is replaced, and the others go on. */
  #watchWorkers(): void {
    const limitMs = this.#config.serviceManager?.watchdogMs;
    if (limitMs === undefined) return;
    const watch = () => {
      for (const worker of this.#running)
        if (worker.endIfHung(SIGNS_OF_LIFE))
          this.#log.error({ worker: worker.number, process: worker.pid, limitMs }, "A worker hung and was ended.");
    };
    setInterval(watch, limitMs / SIGNS_OF_LIFE).unref();
  }

  /** Opens a worker beside those that serve. It gets connections once it is ready. */
  #join(worker: WorkerProcess, onReady: () => void = () => undefined): void {
    this.#serving.set(worker.number, worker);
    this.#open(worker, false);
    void worker.ready.then(() => {
      if (worker.isStopping) return;
      this.#dispatcher.add(worker);
      onReady();
    });
  }

  async #listen(): Promise<PortAddresses> {
    const { port, host, httpPort } = this.#options;
    const service = await this.#dispatcher.listen(port, host, "service");
    const redirect = httpPort === undefined ? undefined : await this.#dispatcher.listen(httpPort, host, "redirect");
    return { service, redirect };
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const worker of this.#running) worker.tell({ kind: "announce-stop" });
    await wait(this.#options.lameDuckMs);
    this.#dispatcher.close();
    const ends = await Promise.all([...this.#running].map((worker) => this.#stopWorker(worker, false)));
    await this.#store?.stop();
    const failed = ends.find(({ how }) => how !== IN_ORDER);
    if (failed !== undefined) throw new StartupError(failed.reason ?? `A worker ended with ${failed.how}.`);
  }

  /** One at a time: what was changed while the workers were being replaced counts for the next one. */
  async reload(next: Config): Promise<Outcome> {
    await this.#restarting?.catch(() => undefined);
    if (this.#isStopping) return { isDone: false, message: "The service is stopping." };
    const { live, fixed } = compareConfigs(this.#config, next);
    const restFixed = fixed.filter((name) => name === "workers");
    this.#restarting = this.#replaceAll().then((failure) => {
      if (failure !== undefined) return { isDone: false, message: failure };
      this.#config = { ...next, workers: this.#config.workers };
      return describeReload([...live, ...fixed.filter((name) => name !== "workers")], restFixed);
    });
    return this.#restarting;
  }

  /** Returns why it did not come to its end; undefined: it did. */
  async #replaceAll(): Promise<string | undefined> {
    this.#log.info({ workers: this.#options.workers }, "The workers are replaced one after the other.");
    for (let number = 1; number <= this.#options.workers; number++) {
      if (this.#isStopping) return STOPPING;
      const successor = this.#fork(number);
      this.#open(successor, false);
      const end = await Promise.race([successor.ready.then(() => undefined), successor.ended]);
      if (end !== undefined) {
        if (this.#isStopping) return STOPPING;
        const words = "The new worker did not start. The old ones go on, and are not replaced.";
        this.#log.error({ worker: number, reason: end.reason ?? end.how }, words);
        return `${words} ${end.reason ?? `It ended with ${end.how}.`}`;
      }
      const old = this.#serving.get(number);
      this.#serving.set(number, successor);
      this.#dispatcher.add(successor);
      if (old === undefined) continue;
      // Waited for, so that there is never more than one process and its connections above the number.
      const oldEnd = await this.#stopWorker(old, true);
      if (oldEnd.how !== IN_ORDER)
        this.#log.error({ worker: number, ...oldEnd }, "The old worker did not stop in order.");
    }
    if (this.#isStopping) return STOPPING;
    this.#log.info({ workers: this.#options.workers }, "All workers are replaced.");
    return undefined;
  }

  #fork(number: number): WorkerProcess {
    const worker = new WorkerProcess(number, (asking) => void this.#mergeMetrics(asking));
    this.#running.add(worker);
    void worker.ended.then((end) => {
      this.#keepMetrics(worker);
      this.#running.delete(worker);
      void this.#dispatcher.remove(worker);
      if (this.#serving.get(number) !== worker) return;
      this.#serving.delete(number);
      if (!worker.isStopping && !this.#isStopping) this.#replaceEnded(worker, end);
    });
    return worker;
  }

  #open(worker: WorkerProcess, isFirst: boolean): void {
    const { workers } = this.#options;
    const store = this.#store && { connection: this.#store.connection, notes: this.#store.notes };
    worker.tell({ kind: "open", terms: { number: worker.number, workers, store, isFirst } });
    // The first worker learns the address when it is prepared.
    if (this.#addresses !== undefined) worker.tell({ kind: "serve", addresses: this.#addresses });
  }

  async #stopWorker(worker: WorkerProcess, hasSuccessor: boolean): Promise<WorkerEnd> {
    worker.isStopping = true;
    await this.#dispatcher.remove(worker);
    return worker.stop(hasSuccessor);
  }

  /** Starts another worker in the place of one that has ended on its own. Ends the service where that does not help. */
  #replaceEnded({ number, pid, forkedAtMs }: WorkerProcess, { how, reason }: WorkerEnd): void {
    const isEarly = performance.now() - forkedAtMs < STABLE_AFTER_MS;
    this.#earlyEnds = isEarly ? this.#earlyEnds + 1 : 0;
    // A worker that says why it can't start, such as that the database is away, does no harm while others serve.
    const isHarmless = reason !== undefined && this.#countReady() > 0;
    if (this.#earlyEnds >= EARLY_ENDS_MAX && !isHarmless) {
      const failure = `${EARLY_ENDS_MAX} workers in a row ended within ${STABLE_AFTER_MS / 1_000} s of their start, the last one with ${how}.`;
      void this.stop()
        .catch((error: unknown) => this.#log.error({ error }, "A worker did not stop in order."))
        .then(() => this.#options.onFailure(reason === undefined ? failure : `${failure}\n${reason}`));
      return;
    }
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, this.#earlyEnds - 1), PAUSE_MS_MAX);
    this.#log.error(
      { worker: number, process: pid, how, reason, pauseMs, serving: this.#countReady() },
      "A worker ended on its own. Another one is started in its place.",
    );
    setTimeout(() => {
      // A restart of all may have filled the place.
      if (this.#isStopping || this.#serving.has(number)) return;
      this.#join(this.#fork(number), () => this.#log.info({ worker: number }, "The worker is replaced."));
    }, pauseMs);
  }

  #countReady(): number {
    return [...this.#running].filter(({ isReady, isStopping }) => isReady && !isStopping).length;
  }

  /** Sends a worker the metrics of all workers together. */
  async #mergeMetrics(asking: WorkerProcess): Promise<void> {
    const others = [...this.#running].filter((worker) => worker !== asking && worker.isReady);
    await Promise.all(others.map((worker) => worker.refreshMetrics()));
    const all = [...this.#running].flatMap(({ metrics }) => (metrics === undefined ? [] : [metrics]));
    const text = await AggregatorRegistry.aggregate([...all, this.#endedMetrics]).metrics();
    asking.tell({ kind: "merged-metrics", text });
  }

  /** A worker that was killed counts with what it reported last: that is what was shown of it. */
  #keepMetrics({ metrics = [] }: WorkerProcess): void {
    const lasting = metrics.filter(({ type }) => LASTING_TYPES.has(String(type)));
    const merged: readonly MetricObject[] = AggregatorRegistry.aggregate([
      this.#endedMetrics,
      lasting,
    ]).getMetricsAsArray();
    // Merged metrics hold their values, which the type of a registry's metrics does not say.
    this.#endedMetrics = merged as MetricValues;
  }
}

const STOPPING = "The service is stopping.";

/** The metrics that count what has been, and so outlast their worker. */
const LASTING_TYPES: ReadonlySet<string> = new Set(["counter", "histogram"]);

/** Waits for a step of a worker's start, and refuses to start where the worker ends before. */
async function unlessEnded<Result>({ number, ended }: WorkerProcess, step: Promise<Result>): Promise<Result> {
  return Promise.race([
    step,
    ended.then(({ how, reason }): never => {
      throw new StartupError(reason ?? `The worker ${number} ended with ${how} while it started.`);
    }),
  ]);
}
