import type { Socket } from "node:net";
import { createLogger } from "@trunkline/core/log.ts";
import { type Config, readConfig } from "../config/config.ts";
import { explainError } from "../explain-error.ts";
import { listenElsewhere } from "../listen-elsewhere.ts";
import type { MetricValues } from "../metrics.ts";
import { type RunningService, type ServedPorts, type ServiceOverrides, startService } from "../run-service.ts";
import type { PortAddresses, WorkerNotice, WorkerOrder, WorkerTerms } from "./messages.ts";

/** Serves the port as one of several processes. It follows the primary process, and ends with it. */
export function runWorker(serviceOverrides?: ServiceOverrides): void {
  const worker = new Worker(serviceOverrides);
  process.on("message", (order: WorkerOrder, socket: unknown) => worker.follow(order, socket as Socket | undefined));
  process.on("disconnect", () => process.exit(1));
  process.on("SIGTERM", () => worker.stop(false));
  // A terminal sends these to all its processes. The primary process decides.
  process.on("SIGINT", () => undefined);
  process.on("SIGHUP", () => undefined);
}

class Worker {
  readonly #serviceOverrides: ServiceOverrides | undefined;
  #servers: ServedPorts | undefined;
  #runningService: RunningService | undefined;
  #isStopping = false;
  #setAddresses: (addresses: PortAddresses) => void = () => undefined;
  readonly #addresses = new Promise<PortAddresses>((resolve) => {
    this.#setAddresses = resolve;
  });
  /** Requests for the metrics of all workers that wait for them. */
  readonly #mergeWaiters: ((text: string) => void)[] = [];

  constructor(serviceOverrides: ServiceOverrides | undefined) {
    this.#serviceOverrides = serviceOverrides;
  }

  follow(order: WorkerOrder, socket: Socket | undefined): void {
    switch (order.kind) {
      case "open":
        void this.#open(order.terms);
        break;
      case "serve":
        this.#setAddresses(order.addresses);
        break;
      case "connection":
        void notify({ kind: "connection-received" });
        // Without a socket the client has gone meanwhile.
        if (socket !== undefined) this.#servers?.[order.port]?.emit("connection", socket);
        break;
      case "announce-stop":
        this.#runningService?.announceStop();
        break;
      case "stop":
        this.stop(order.hasSuccessor);
        break;
      case "report-metrics":
        void this.#reportMetrics();
        break;
      case "report-life":
        void notify({ kind: "alive" });
        break;
      case "merged-metrics":
        for (const resolve of this.#mergeWaiters.splice(0)) resolve(order.text);
        break;
    }
  }

  /** Serves what runs, and ends. A worker that is just starting is not stopped. */
  stop(hasSuccessor: boolean): void {
    if (this.#isStopping || this.#runningService === undefined) return;
    this.#isStopping = true;
    void this.#end(this.#runningService, hasSuccessor);
  }

  async #open(terms: WorkerTerms): Promise<void> {
    try {
      const config = shareOf(readConfig(), terms.workers);
      const log = createLogger(config.logLevel).child({ worker: terms.number });
      const store = terms.store && { ...terms.store, stop: async () => undefined };
      this.#runningService = await startService(config, log, store, this.#serviceOverrides, {
        isFirst: terms.isFirst,
        beforeListening: async (servers) => {
          this.#servers = servers;
          await notify({ kind: "prepared" });
          const { service, redirect } = await this.#addresses;
          listenElsewhere(servers.service, service);
          if (servers.redirect !== undefined && redirect !== undefined) listenElsewhere(servers.redirect, redirect);
        },
        mergeMetrics: (own) => this.#mergeMetrics(own),
      });
      await notify({ kind: "ready", startBanner: this.#runningService.startBanner });
    } catch (error) {
      await fail(error);
    }
  }

  async #end(runningService: RunningService, hasSuccessor: boolean): Promise<void> {
    try {
      await runningService.stop({ hasSuccessor });
      // The sums over all workers must not fall when this one is gone.
      await this.#reportMetrics();
      process.exit(0);
    } catch (error) {
      await fail(error);
    }
  }

  async #reportMetrics(): Promise<void> {
    const metrics = await this.#runningService?.readMetrics();
    if (metrics !== undefined) await notify({ kind: "metrics", metrics });
  }

  #mergeMetrics(own: MetricValues): Promise<string> {
    const merged = new Promise<string>((resolve) => this.#mergeWaiters.push(resolve));
    void notify({ kind: "merge-metrics", metrics: own });
    return merged;
  }
}

/** The settings of one worker: what the whole service may do at once is divided among its workers. */
function shareOf(config: Config, workers: number): Config {
  const concurrentRequests = Math.ceil(config.limits.concurrentRequests / workers);
  const accountConcurrentRequests = Math.ceil(config.limits.accountConcurrentRequests / workers);
  return { ...config, workers, limits: { ...config.limits, concurrentRequests, accountConcurrentRequests } };
}

async function fail(error: unknown): Promise<void> {
  await notify({ kind: "failed", reason: explainError(error) });
  process.exit(1);
}

/** Resolves when the notice is on its way. Where the primary process is gone, this one ends, too. */
function notify(notice: WorkerNotice): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(notice, undefined, undefined, () => resolve());
  });
}
