import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import type { MetricValues } from "../metrics.ts";
import type { PortName, Receiver } from "./dispatcher.ts";
import type { WorkerNotice, WorkerOrder } from "./messages.ts";

/** A worker that does not report its metrics in this time counts with what it reported last. */
const METRICS_WAIT_MS = 1_000;

const LAST_MESSAGES_WAIT_MS = 200;

/** The end of a worker that has finished its requests, settled their money and closed its connections. */
export const IN_ORDER = "exit code 0";

/** How a worker ended: a signal or an exit code, and the reason that it gave itself. */
export interface WorkerEnd {
  readonly how: string;
  readonly reason: string | undefined;
}

/** A worker as the primary process sees it, from its fork to its end. */
export class WorkerProcess implements Receiver {
  readonly number: number;
  readonly forkedAtMs = performance.now();
  /** Resolves when everything is open that needs no address. Never, where the worker ends before; so does `ready`. */
  readonly prepared: Promise<void>;
  /** Resolves with the start banner when the worker serves. */
  readonly ready: Promise<string>;
  readonly ended: Promise<WorkerEnd>;
  isReady = false;
  /** Whether it is to stop. */
  isStopping = false;
  /** How often it was asked for a sign of life since it gave one. */
  unanswered = 0;
  /** The metrics that it reported last. */
  metrics: MetricValues | undefined;
  readonly #process: ChildProcess;
  #reason: string | undefined;
  #onReceived: () => void = () => undefined;
  #onMetrics: () => void = () => undefined;
  #pendingMetrics: Promise<void> | undefined;

  /** `onMergeWanted` is called when the worker wants the metrics of all workers together. */
  constructor(number: number, onMergeWanted: (worker: WorkerProcess) => void) {
    this.number = number;
    this.#process = fork(process.argv[1] ?? "", ["worker"]);
    // A worker may be gone in the moment in which it is told something; `ended` says so.
    this.#process.on("error", () => undefined);
    const exited = new Promise<string>((resolve) => {
      this.#process.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    this.ended = exited.then(async (how) => {
      await this.#lastMessages();
      this.isReady = false;
      this.#onReceived();
      this.#onMetrics();
      return { how, reason: this.#reason };
    });
    let setPrepared: () => void;
    this.prepared = new Promise((resolve) => {
      setPrepared = resolve;
    });
    this.ready = new Promise((resolve) => {
      this.#process.on("message", (notice: WorkerNotice) => {
        this.unanswered = 0;
        switch (notice.kind) {
          case "alive":
            break;
          case "prepared":
            setPrepared();
            break;
          case "ready":
            this.isReady = true;
            resolve(notice.startBanner);
            break;
          case "connection-received":
            this.#onReceived();
            break;
          case "failed":
            this.#reason = notice.reason;
            break;
          case "metrics":
            this.metrics = notice.metrics;
            this.#onMetrics();
            break;
          case "merge-metrics":
            this.metrics = notice.metrics;
            onMergeWanted(this);
            break;
        }
      });
    });
  }

  /**
   * Waits for messages that arrive after the end of the worker. Where it was killed while a connection was on its way,
   * Node does not notice that the channel is closed, and the connection would stay open without anyone to serve it.
   */
  async #lastMessages(): Promise<void> {
    if (!this.#process.connected) return;
    const disconnected = once(this.#process, "disconnect");
    const late = setTimeout(() => this.#process.disconnect(), LAST_MESSAGES_WAIT_MS);
    await disconnected;
    clearTimeout(late);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  tell(order: WorkerOrder): void {
    if (this.#process.connected) this.#process.send(order, () => undefined);
  }

  receive(socket: Socket, port: PortName): Promise<void> {
    return new Promise((resolve) => {
      this.#onReceived = resolve;
      const order: WorkerOrder = { kind: "connection", port };
      if (this.#process.connected) this.#process.send(order, socket, (error) => error && resolve());
      else {
        socket.destroy();
        resolve();
      }
    });
  }

  /** Tells it to stop in order once it is ready. Resolves when it has ended. */
  async stop(hasSuccessor: boolean): Promise<WorkerEnd> {
    this.isStopping = true;
    await Promise.race([this.ready, this.ended]);
    this.tell({ kind: "stop", hasSuccessor });
    return this.ended;
  }

  /**
   * Asks for a sign of life. Ends the worker where it gave none after `most` earlier questions, and returns whether it did:
   * questions are counted, not time, so that a primary process that was held up itself does no harm.
   */
  endIfHung(most: number): boolean {
    if (!this.isReady) return false;
    if (this.unanswered >= most) return this.#process.kill("SIGKILL");
    this.unanswered++;
    this.tell({ kind: "report-life" });
    return false;
  }

  /** Ends it at once. */
  kill(): void {
    this.isStopping = true;
    this.#process.kill("SIGKILL");
  }

  /** Asks for its metrics. Resolves when they are in `metrics`, or when it takes too long. */
  refreshMetrics(): Promise<void> {
    this.#pendingMetrics ??= new Promise<void>((resolve) => {
      const late = setTimeout(resolve, METRICS_WAIT_MS);
      this.#onMetrics = () => {
        clearTimeout(late);
        resolve();
      };
      this.tell({ kind: "report-metrics" });
    }).finally(() => {
      this.#pendingMetrics = undefined;
    });
    return this.#pendingMetrics;
  }
}
