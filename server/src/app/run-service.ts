import type { Server } from "node:http";
import type { Logger } from "@trunkline/core/log.ts";
import type { EmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import type { LocalServer } from "@trunkline/providers/discovery/local-servers.ts";
import { createHttpServer } from "../http/server/http-server.ts";
import type { Config } from "./config/config.ts";
import { withCrashPoints } from "./crash-points.ts";
import { createServices } from "./create-services.ts";
import { ensureSecretFile, makeFirstKey, makeFirstLogin, prepareOperator } from "./first-start.ts";
import type { Services } from "./services.ts";
import { formatStartBanner } from "./start-banner.ts";

/** One running process of the service. */
export interface RunningService {
  /** The text for a person that is printed once it is up. */
  readonly startBanner: string;
  /** Stops accepting, finishes what runs, settles the money and lets go of everything. */
  stop(): Promise<void>;
}

/** Replaces some of the services just created. Only measurements use it. */
export type ServiceOverrides = (services: Services) => Services;

/** Creates the services on their store and starts to listen. What was opened is closed again where a later step fails. */
export async function startService(
  config: Config,
  log: Logger,
  embedded: EmbeddedPostgres | undefined,
  serviceOverrides: ServiceOverrides = (services) => services,
): Promise<RunningService> {
  try {
    return await startOnDatabase(embedded, config, log, serviceOverrides);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

async function startOnDatabase(
  embedded: EmbeddedPostgres | undefined,
  config: Config,
  log: Logger,
  serviceOverrides: ServiceOverrides,
): Promise<RunningService> {
  const secret = config.secret ?? (await ensureSecretFile(config.dataDir));
  const address = embedded?.connection ?? { connectionString: config.databaseUrl ?? "" };
  const services = serviceOverrides(withCrashPointsIfSet(await createServices({ config, address, secret, log })));
  const { app, url, firstKey, firstLogin, localServers } = await listen(services).catch(async (error: unknown) => {
    await services.close();
    throw error;
  });
  return {
    startBanner: formatStartBanner({
      url,
      dashboard: dashboardUrl(config, url),
      firstKey,
      firstLogin,
      notes: [...(embedded?.notes ?? []), ...config.discovery.notes],
      models: services.catalogue.all(),
      providers: config.discovery.providers,
      localServers,
    }),
    async stop() {
      await drain(services, app.server, () => app.close());
      // Where closing the services fails, the PostgreSQL server must still be stopped.
      await services.close().finally(() => embedded?.stop());
    },
  };
}

/** The services as they are, outside of measurements. */
function withCrashPointsIfSet(services: Services): Services {
  const { crashPoints } = services.config;
  if (crashPoints === undefined) return services;
  services.log.warn({ crashPoints }, "TRUNKLINE_CRASH_POINTS is set: this service will kill itself.");
  return withCrashPoints(services, crashPoints);
}

/** Everything that can still fail once the services are created, such as an address that is in use. */
async function listen(services: Services) {
  await prepareOperator(services);
  const app = createHttpServer(services);
  const { port, host } = services.config;
  const url = await app.listen({ port, host });
  const localServers = await startDiscovery(services);
  // Made last: a key that is shown only once must not be made by a start that fails.
  return {
    app,
    url,
    localServers,
    firstKey: await makeFirstKey(services),
    firstLogin: await makeFirstLogin(services),
  };
}

/** What is found on this machine at once; the start does not wait for more, which comes in by itself. */
async function startDiscovery(services: Services): Promise<readonly LocalServer[]> {
  const operator = await services.accounts.findOperator();
  if (operator === undefined) return [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly LocalServer[]>((resolve) => {
    timer = setTimeout(() => resolve([]), LOCAL_WAIT_MS);
  });
  const found = await Promise.race([services.discoverySchedule.start(operator.id), late]);
  clearTimeout(timer);
  return found;
}

const LOCAL_WAIT_MS = 300;

/** Where people open the dashboard. Passkeys need a name, which a bare address is not. */
function dashboardUrl({ publicUrl }: Config, url: string): string {
  const { hostname, port } = new URL(url);
  const isHere = /^(127\.|0\.0\.0\.0$|\[::1?\]$)/.test(hostname);
  return publicUrl ?? (isHere ? `http://localhost:${port}` : url);
}

/** How long cut-off connections have to close. A client that reads nothing of what it was sent would stay for ever. */
const LAST_CALL_MS = 1_000;
const SWEEP_MS = 50;

/** What has to end before the services can be closed. */
interface DrainTarget {
  readonly config: { readonly limits: { readonly drainMs: number } };
  readonly inFlight: Iterable<AbortController>;
  readonly prober: { stop(): Promise<void> };
}

/** Stops accepting, lets what runs finish, and breaks off what takes too long: its money is settled all the same. */
export async function drain(
  { config, inFlight, prober }: DrainTarget,
  server: Pick<Server, "closeAllConnections" | "closeIdleConnections">,
  closeServer: () => Promise<void>,
): Promise<void> {
  const { drainMs } = config.limits;
  const breakOff = setTimeout(() => {
    for (const controller of inFlight) controller.abort(new Error("The service is stopping."));
  }, drainMs);
  const lastCall = setTimeout(() => server.closeAllConnections(), drainMs + LAST_CALL_MS);
  // A connection whose last answer comes now stays open for a next request that will not be served.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  // No request will use what a probe finds out now.
  await Promise.all([closeServer(), prober.stop()]);
  clearInterval(sweep);
  clearTimeout(breakOff);
  clearTimeout(lastCall);
}
