import type { Server } from "node:http";
import type { Server as NetServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { ActiveList } from "@trunkline/core/active-list.ts";
import type { Cancellation } from "@trunkline/core/cancellation.ts";
import { ServiceStopping } from "@trunkline/core/fault.ts";
import type { Logger } from "@trunkline/core/log.ts";
import type { EmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import type { LocalServer } from "@trunkline/providers/discovery/local-servers.ts";
import { AcceptCopies } from "../http/server/accept-copies.ts";
import { HttpServer } from "../http/server/http-server.ts";
import type { DatabaseAddress } from "../store/database/servers.ts";
import type { Config } from "./config/config.ts";
import type { Outcome } from "./control-socket.ts";
import { withCrashPoints } from "./crash-points.ts";
import { createServices } from "./create-services.ts";
import { makeFirstKey, makeFirstLogin, prepareOperator } from "./first-start.ts";
import { startIdleCollection } from "./idle-memory.ts";
import type { MergeMetrics, MetricValues } from "./metrics.ts";
import { OpenConnections } from "./open-connections.ts";
import { applyConfig } from "./reload-config.ts";
import { readSecrets } from "./secret-files.ts";
import type { Services } from "./services.ts";
import { formatStartBanner } from "./start-banner.ts";
import { TlsPorts } from "./tls-ports.ts";

/** One running process of the service. */
export interface RunningService {
  /** The text to print once it runs. */
  readonly startBanner: string;
  /**
   * Accepts no more requests, waits for those in flight, settles their money and closes all connections. Where another
   * process serves the same port, clients are moved there first; where `how` is missing, it first tells load balancers.
   */
  stop(how?: { readonly hasSuccessor: boolean }): Promise<void>;
  /** Takes another configuration over, as far as that is possible without a restart. */
  reload(next: Config): Promise<Outcome>;
  /** Says at `/readyz` that it is about to stop, while it still serves: load balancers then send requests elsewhere. */
  announceStop(): void;
  /** The metrics of this process. */
  readMetrics(): Promise<MetricValues>;
}

/** The part of a process among several that serve one port. */
export interface WorkerRole {
  /** Makes the first key and the first log-in, where there are none. */
  readonly isFirst: boolean;
  /** Runs when everything but the ports is open. The servers may be made to take their connections from elsewhere. */
  readonly beforeListening: (servers: ServedPorts) => Promise<void>;
  readonly mergeMetrics: MergeMetrics | undefined;
}

/** What accepts the connections of each port. */
export interface ServedPorts {
  readonly service: NetServer;
  /** The port of plain HTTP before TLS; undefined: there is none. */
  readonly redirect: NetServer | undefined;
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
  const { secret, fallback } = await readSecrets(config);
  const address = embedded?.connection ?? { connectionString: config.databaseUrl ?? "" };
  const { mergeMetrics } = role;
  const created = await createServices({ config, address, secret, secretFallback: fallback, log, mergeMetrics });
  const services = serviceOverrides(withCrashPointsIfSet(created));
  const { app, tls, connections, url, firstKey, firstLogin, localServers } = await listen(services, role).catch(
    async (error: unknown) => {
      await services.lifecycle.close();
      throw error;
    },
  );
  const acceptCopies = new AcceptCopies(tls?.service ?? app.server);
  void acceptCopies.open();
  const stopIdleCollection = startIdleCollection(() => services.lifecycle.inFlight.size > 0);
  return {
    startBanner: formatStartBanner({
      url,
      dashboard: dashboardUrl(config, url),
      firstKey,
      firstLogin,
      notes: [...(embedded?.notes ?? []), ...(tls?.notes ?? []), ...config.discovery.notes],
      models: services.providers.catalogue.all(),
      providers: config.discovery.providers,
      localServers,
    }),
    readMetrics: () => services.metrics.values(),
    announceStop: () => services.lifecycle.announceStop(),
    reload: (next) => applyConfig(services, next),
    async stop(how) {
      services.lifecycle.announceStop();
      if (how === undefined) await wait(config.limits.lameDuckMs);
      stopIdleCollection();
      acceptCopies.close();
      if (how?.hasSuccessor === true) {
        sendClientsAway(app.server);
        tls?.sendClientsAway();
        // A connection that is closed without an answer might just bring a request, which would be lost.
        await connections.quiet(QUIET_MS, config.limits.drainMs);
      }
      const open = {
        closeIdleConnections: () => app.server.closeIdleConnections(),
        closeAllConnections: () => {
          app.server.closeAllConnections();
          tls?.destroy();
        },
      };
      await drain(services, open, async () => {
        const closing = tls?.close();
        await app.close();
        await connections.closed();
        await closing;
      });
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
  const app = new HttpServer(services);
  const connections = new OpenConnections(app.server);
  const tls = services.tls === undefined ? undefined : new TlsPorts(services.tls, services.config, app.server);
  await beforeListening({ service: tls?.service ?? app.server, redirect: tls?.redirect });
  const { port, host } = services.config;
  const url = tls === undefined ? await app.listen({ port, host }) : await tls.listen(app);
  const localServers = await startDiscovery(services);
  // Made last: a start that fails must not make a key that is shown only once.
  return {
    app,
    tls,
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
  const { protocol, hostname, port } = new URL(url);
  const isHere = /^(127\.|0\.0\.0\.0$|\[::1?\]$)/.test(hostname);
  return publicUrl ?? (isHere ? `${protocol}//localhost:${port}` : url);
}

/** Where nothing moved for this long, connections count as idle. A client that is busy has come back by then. */
const QUIET_MS = 2_000;

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
  readonly lifecycle: { readonly inFlight: Pick<ActiveList<Cancellation>, "visitAll"> };
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
    lifecycle.inFlight.visitAll((cancellation) => cancellation.abort(new ServiceStopping()));
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
