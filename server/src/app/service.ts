import type { Logger } from "@trunkline/core/log.ts";
import type { EmbeddedPostgres } from "@trunkline/local-postgres/start-embedded-postgres.ts";
import type { LocalServer } from "@trunkline/providers/discovery/find-local.ts";
import { buildApp } from "../http/server/app.ts";
import { buildHouse } from "./build-house.ts";
import type { Config } from "./config/config.ts";
import { withCrashPoints } from "./crash-points.ts";
import { drain } from "./drain.ts";
import { ensureSecretFile, makeFirstKey, makeFirstLogin, prepareOperator } from "./first-start.ts";
import type { House } from "./services.ts";
import { welcome } from "./start-banner.ts";

/** One running process of the service. */
export interface Service {
  /** What a person is told when it is up. */
  readonly welcome: string;
  /** Stops accepting, finishes what runs, settles the money and lets go of everything. */
  stop(): Promise<void>;
}

/** Exchanges parts of a house that has just been built. The product has no use for it; measurements do. */
export type Refit = (house: House) => House;

/** Builds the house on its store and opens the door. What was opened is closed again where a later step fails. */
export async function openService(
  config: Config,
  log: Logger,
  embedded: EmbeddedPostgres | undefined,
  refit: Refit = (house) => house,
): Promise<Service> {
  try {
    return await openOn(embedded, config, log, refit);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

async function openOn(
  embedded: EmbeddedPostgres | undefined,
  config: Config,
  log: Logger,
  refit: Refit,
): Promise<Service> {
  const secret = config.secret ?? (await ensureSecretFile(config.dataDir));
  const address = embedded?.connection ?? { connectionString: config.databaseUrl ?? "" };
  const house = refit(mortalIfAsked(await buildHouse({ config, address, secret, log })));
  const { app, url, firstKey, firstLogin, localServers } = await openDoor(house).catch(
    async (error: unknown) => {
      await house.close();
      throw error;
    },
  );
  return {
    welcome: welcome({
      url,
      dashboard: dashboardOf(config, url),
      firstKey,
      firstLogin,
      notes: [...(embedded?.notes ?? []), ...config.discovery.notes],
      models: house.catalogue.all(),
      providers: config.discovery.providers,
      localServers,
    }),
    async stop() {
      await drain(house, app.server, () => app.close());
      // Whatever the house can't do any more, the server must not stay behind.
      await house.close().finally(() => embedded?.stop());
    },
  };
}

/** The house as it is, in normal life. */
function mortalIfAsked(house: House): House {
  const { crashPoints } = house.config;
  if (crashPoints === undefined) return house;
  house.log.warn({ crashPoints }, "TRUNKLINE_CRASH_POINTS is set: this service will kill itself.");
  return withCrashPoints(house, crashPoints);
}

/** Everything that can still go wrong once the house stands, such as an address that is in use. */
async function openDoor(house: House) {
  await prepareOperator(house);
  const app = buildApp(house);
  const { port, host } = house.config;
  const url = await app.listen({ port, host });
  const localServers = await beginRounds(house);
  // Made last: a key that is shown only once must not be made by a start that fails.
  return {
    app,
    url,
    localServers,
    firstKey: await makeFirstKey(house),
    firstLogin: await makeFirstLogin(house),
  };
}

/** What is found on this machine at once; the start does not wait for more, which comes in by itself. */
async function beginRounds(house: House): Promise<readonly LocalServer[]> {
  const operator = await house.accounts.findOperator();
  if (operator === undefined) return [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly LocalServer[]>((resolve) => {
    timer = setTimeout(() => resolve([]), LOCAL_WAIT_MS);
  });
  const found = await Promise.race([house.rounds.begin(operator.id), late]);
  clearTimeout(timer);
  return found;
}

const LOCAL_WAIT_MS = 300;

/** Where people open the dashboard. Passkeys need a name, which a bare address is not. */
function dashboardOf({ publicUrl }: Config, url: string): string {
  const { hostname, port } = new URL(url);
  const isHere = /^(127\.|0\.0\.0\.0$|\[::1?\]$)/.test(hostname);
  return publicUrl ?? (isHere ? `http://localhost:${port}` : url);
}
