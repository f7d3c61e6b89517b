import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { ServiceStopping } from "@trunkline/core/fault.ts";
import type { Logger } from "@trunkline/core/log.ts";
import type { EmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import type { LocalServer } from "@trunkline/providers/discovery/local-servers.ts";
import { AcceptCopies } from "../http/server/accept-copies.ts";
import { createHttpServer } from "../http/server/http-server.ts";
import type { DatabaseAddress } from "../store/database/database.ts";
import type { Config } from "./config/config.ts";
import { withCrashPoints } from "./crash-points.ts";
import { createServices } from "./create-services.ts";
import { ensureSecretFile, makeFirstKey, makeFirstLogin, prepareOperator } from "./first-start.ts";
import { startIdleCollection } from "./idle-memory.ts";
import type { MergeMetrics, MetricValues } from "./metrics.ts";
import type { Services } from "./services.ts";
import { formatStartBanner } from "./start-banner.ts";

/** One running process of the service. */
export interface RunningService {
  /** The text to print once it runs. */
  readonly startBanner: string;
  /**
   * Accepts no more requests, waits for those in flight, settles their money and closes all connections. Where another
   * process serves the same port, clients are moved there first; where `how` is missing, it first tells load balancers.
   */
  stop(how?: { readonly hasSuccessor: boolean }): Promise<void>;
  /** Says at `/readyz` that it is about to stop, while it still serves: load balancers then send requests elsewhere. */
  announceStop(): void;
  /** The metrics of this process. */
  readMetrics(): Promise<MetricValues>;
}

/** The part of a process among several that serve one port. */
export interface WorkerRole {
  /** Makes the first key and the first log-in, where there are none. */
  readonly isFirst: boolean;
  /** Runs when everything but the port is open. The server may be made to take its connections from elsewhere. */
  readonly beforeListening: (server: Server) => Promise<void>;
  readonly mergeMetrics: MergeMetrics | undefined;
}

/** A process that serves the port alone. */
const ALONE: WorkerRole = { isFirst: true, beforeListening: async () => undefined, mergeMetrics: undefined };

/** Replaces some of the created services. Only measurements use it. */
export type ServiceOverrides = (services: Services) => Services;

/** The embedded PostgreSQL of this process, or how a worker reaches that of the primary process. */
type EmbeddedStore = Omit<EmbeddedPostgres, "connection"> & { readonly connection: DatabaseAddress };

/** Creates the services on their store and starts to listen. What was opened is closed again where a later step fails. */
export async function startService(
  config: Config,
  log: Logger,
  embedded: EmbeddedStore | undefined,
  serviceOverrides: ServiceOverrides = (services) => services,
  role: WorkerRole = ALONE,
): Promise<RunningService> {
  try {
    return await startOnDatabase(embedded, config, log, serviceOverrides, role);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

async function startOnDatabase(
  embedded: EmbeddedStore | undefined,
  config: Config,
  log: Logger,
  serviceOverrides: ServiceOverrides,
  role: WorkerRole,
): Promise<RunningService> {
  const secret = config.secret ?? (await ensureSecretFile(config.dataDir));
  const address = embedded?.connection ?? { connectionString: config.databaseUrl ?? "" };
  const { mergeMetrics } = role;
  const created = await createServices({ config, address, secret, log, mergeMetrics });
  const services = serviceOverrides(withCrashPointsIfSet(created));
  const { app, connections, url, firstKey, firstLogin, localServers } = await listen(services, role).catch(
    async (error: unknown) => {
      await services.lifecycle.close();
      throw error;
    },
  );
  const acceptCopies = new AcceptCopies(app.server);
  void acceptCopies.open();
  const stopIdleCollection = startIdleCollection(() => services.lifecycle.inFlight.size > 0);
  return {
    startBanner: formatStartBanner({
      url,
      dashboard: dashboardUrl(config, url),
      firstKey,
      firstLogin,
      notes: [...(embedded?.notes ?? []), ...config.discovery.notes],
      models: services.providers.catalogue.all(),
      providers: config.discovery.providers,
      localServers,
    }),
    readMetrics: () => services.metrics.values(),
    announceStop: () => services.lifecycle.announceStop(),
    async stop(how) {
      services.lifecycle.announceStop();
      if (how === undefined) await wait(config.limits.lameDuckMs);
      stopIdleCollection();
      acceptCopies.close();
      if (how?.hasSuccessor === true) {
        sendClientsAway(app.server);
        // A connection that is closed without an answer might just bring a request, which would be lost.
        await connections.quiet(QUIET_MS, config.limits.drainMs);
      }
      await drain(services, app.server, () => app.close().then(() => connections.closed()));
      // Where closing the services fails, the PostgreSQL server must still be stopped.
      await services.lifecycle.close().finally(() => embedded?.stop());
    },
  };
}

/** Adds crash points where TRUNKLINE_CRASH_POINTS asks for them. */
function withCrashPointsIfSet(services: Services): Services {
  const { crashPoints } = services.config;
  if (crashPoints === undefined) return services;
  services.log.warn({ crashPoints }, "TRUNKLINE_CRASH_POINTS is set: this service will kill itself.");
  return withCrashPoints(services, crashPoints);
}

/** Prepares the operator, listens, and makes the first key and log-in. It can fail, such as on a port in use. */
async function listen(services: Services, { isFirst, beforeListening }: WorkerRole) {
  await prepareOperator(services);
  const app = createHttpServer(services);
  const connections = new OpenConnections(app.server);
  await beforeListening(app.server);
  const { port, host } = services.config;
  const url = await app.listen({ port, host });
  const localServers = await startDiscovery(services);
  // Made last: a start that fails must not make a key that is shown only once.
  return {
    app,
    connections,
    url,
    localServers,
    firstKey: isFirst ? await makeFirstKey(services) : undefined,
    firstLogin: isFirst ? await makeFirstLogin(services) : undefined,
  };
}

/** Starts discovery and returns the model servers found in the first moments. The start does not wait for the rest. */
async function startDiscovery(services: Services): Promise<readonly LocalServer[]> {
  const operator = await services.identity.accounts.findOperator();
  if (operator === undefined) return [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly LocalServer[]>((resolve) => {
    timer = setTimeout(() => resolve([]), LOCAL_WAIT_MS);
  });
  const found = await Promise.race([services.providers.discoverySchedule.start(operator.id), late]);
  clearTimeout(timer);
  return found;
}

const LOCAL_WAIT_MS = 300;

/** The address of the dashboard. Passkeys need a host name, so a local IP address becomes localhost. */
function dashboardUrl({ publicUrl }: Config, url: string): string {
  const { hostname, port } = new URL(url);
  const isHere = /^(127\.|0\.0\.0\.0$|\[::1?\]$)/.test(hostname);
  return publicUrl ?? (isHere ? `http://localhost:${port}` : url);
}

/** Where nothing moved for this long, connections count as idle. A client that is busy has come back by then. */
const QUIET_MS = 2_000;

/** The open connections of a server, also those that another process has accepted, which the server does not count. */
class OpenConnections {
  readonly #sockets = new Set<Socket>();
  #onEmpty: () => void = () => undefined;

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        if (this.#sockets.size === 0) this.#onEmpty();
      });
    });
  }

  /** Resolves when all are closed. */
  closed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      if (this.#sockets.size === 0) resolve();
    });
  }

  /** Resolves when all are closed, or nothing has moved on any of them for a while, or the time is up. */
  async quiet(quietMs: number, limitMs: number): Promise<void> {
    const endMs = performance.now() + limitMs;
    let quietSinceMs = performance.now();
    let lastBytes = -1;
    while (this.#sockets.size > 0 && performance.now() < endMs && performance.now() - quietSinceMs < quietMs) {
      let bytes = 0;
      for (const { bytesRead, bytesWritten } of this.#sockets) bytes += bytesRead + bytesWritten;
      if (bytes !== lastBytes) quietSinceMs = performance.now();
      lastBytes = bytes;
      await wait(SWEEP_MS);
    }
  }
}

/** Answers from now on with `connection: close`, so that clients come back on new connections, which others accept. */
function sendClientsAway(server: Server): void {
  server.prependListener("request", (_request, response) => {
    response.shouldKeepAlive = false;
  });
}

/** How long aborted requests have to close their connections. A client that does not read its answer never would. */
const CLOSE_WAIT_MS = 1_000;
const SWEEP_MS = 50;

/** The services that a drain uses. */
interface DrainTarget {
  readonly config: { readonly limits: { readonly drainMs: number } };
  readonly lifecycle: { readonly inFlight: Iterable<Pick<AbortController, "abort">> };
  readonly providers: { readonly prober: { stop(): Promise<void> } };
}

/** Accepts no more requests, waits for those in flight, and aborts those that take too long. Aborted ones are settled too. */
export async function drain(
  { config, lifecycle, providers }: DrainTarget,
  server: Pick<Server, "closeAllConnections" | "closeIdleConnections">,
  closeServer: () => Promise<void>,
): Promise<void> {
  const { drainMs } = config.limits;
  const abortAll = setTimeout(() => {
    for (const controller of lifecycle.inFlight) controller.abort(new ServiceStopping());
  }, drainMs);
  const closeAll = setTimeout(() => server.closeAllConnections(), drainMs + CLOSE_WAIT_MS);
  // After its last answer, a connection would stay open for a next request that is not served any more.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  // No further request would use the result of a probe.
  await Promise.all([closeServer(), providers.prober.stop()]);
  clearInterval(sweep);
  clearTimeout(abortAll);
  clearTimeout(closeAll);
}
