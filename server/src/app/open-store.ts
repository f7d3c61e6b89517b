import { StartupError } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { identifyClusters, requireSingleDatabase } from "../store/clusters/cluster-registry.ts";
import { type Database, hasOwnSessions, openDatabase, type TimeObserver } from "../store/database/database.ts";
import { ReadReplica, requireReplicaOf } from "../store/database/read-replica.ts";
import { type DatabaseAddress, DatabaseServers } from "../store/database/servers.ts";
import { Instance } from "../store/instances.ts";
import { sealLedger } from "../store/ledger/seal-ledger.ts";
import { migrate } from "../store/migrate.ts";
import { StoreClock } from "../store/store-clock.ts";
import { type Clusters, connectClusters, type OpenCluster } from "./open-clusters.ts";
import type { AppOptions, Services } from "./services.ts";

/** No statement of a request takes longer: past this time, its connection counts as dead. */
const STATEMENT_TIMEOUT_MS = 15_000;

/** How many connections the pools of one process have, without those for locks, listening and settlements. */
function poolSizes(workers: number): { readonly requests: number; readonly maintenance: number } {
  if (workers === 1) return { requests: 12, maintenance: 2 };
  return { requests: Math.max(3, Math.floor(24 / workers)), maintenance: 1 };
}

/** The connections to PostgreSQL, and the registration of this instance. */
export interface Store {
  readonly database: Database;
  /** Has no statement timeout: for migrations and maintenance, which no client waits for. */
  readonly maintenanceDatabase: Database;
  readonly instance: Instance;
  /** A replica for reads of past requests, and how far it is; undefined: there is none. */
  readonly replica: { readonly database: Database; readonly position: ReadReplica } | undefined;
  /** The clusters that accounts are placed on, with this one; undefined: there is but this one. */
  readonly clusters: Clusters | undefined;
}

interface StoreOptions extends Pick<AppOptions, "address">, Pick<Services, "clock" | "log" | "warnThrottled"> {
  /** Where a replica is; undefined: there is none. */
  readonly readUrl: string | undefined;
  /** Further databases that accounts are placed on. */
  readonly otherUrls: readonly string[];
  /** How many processes share the connections that PostgreSQL has for this service. */
  readonly workers: number;
  /** Called when this instance was taken for dead and had to register again. */
  readonly onRegisteredAgain: () => void;
  /** Adds a step to the stop. Steps run in reverse order. */
  readonly onStop: (step: () => Promise<void>) => void;
}

/** Connects, migrates the schema, registers this instance and returns to accounts what dead instances had leased. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { address, readUrl, otherUrls, clock, log, warnThrottled, onRegisteredAgain, onStop } = options;
  const opened = await openDatabases(options, address);
  const { database, maintenanceDatabase } = opened;
  const others: OpenDatabases[] = [];
  for (const connectionString of otherUrls) others.push(await openDatabases(options, { connectionString }));
  if (others.length === 0) await requireSingleDatabase(database);
  const replica =
    readUrl === undefined ? undefined : await openReplica(readUrl, { database, clock, warnThrottled, onStop });
  const timeObserver = clock instanceof StoreClock ? await observeTime(clock, database, log) : undefined;
  const id = newId(clock.now());
  const register = async (on: Database, observer?: TimeObserver) => {
    const instance = await Instance.register(on, id, onRegisteredAgain, observer);
    onStop(async () => {
      // An unreachable store must not keep the process alive: another instance will reclaim the leases of this one.
      await instance.deregister().catch((error: unknown) => log.warn({ error }, "The leases could not be returned."));
      // After the deregistration, which moves money too. What is not sealed now, the next start seals.
      await sealLedger(on).catch((error: unknown) => log.warn({ error }, "The ledger could not be sealed."));
    });
    await instance.reclaimDeadInstances();
    await instance.returnOrphanedLeases();
    return instance;
  };
  const instance = await register(database, timeObserver);
  if (others.length === 0) return { database, maintenanceDatabase, instance, replica, clusters: undefined };
  const all: OpenCluster[] = [];
  const identified = await identifyClusters([database, ...others.map((other) => other.database)]);
  for (const cluster of identified) {
    const { maintenanceDatabase: maintenance } = others.find((other) => other.database === cluster.database) ?? opened;
    const registered = cluster.database === database ? instance : await register(cluster.database);
    all.push({ ...cluster, maintenanceDatabase: maintenance, instance: registered });
  }
  return { database, maintenanceDatabase, instance, replica, clusters: await connectClusters(all, log) };
}

type OpenDatabases = Pick<Store, "database" | "maintenanceDatabase">;

/** Connects to one database and migrates its schema. */
async function openDatabases(
  { workers, warnThrottled, onStop }: StoreOptions,
  address: DatabaseAddress,
): Promise<OpenDatabases> {
  const onBroken = (error: Error) => warnThrottled(error, "A database connection was lost.");
  const connections = poolSizes(workers);
  const servers = new DatabaseServers(address);
  const maintenanceDatabase = openDatabase(servers, onBroken, { connections: connections.maintenance });
  onStop(() => maintenanceDatabase.close());
  await migrate(maintenanceDatabase);
  const database = openDatabase(servers, onBroken, {
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    connections: connections.requests,
  });
  onStop(() => database.close());
  if (!(await hasOwnSessions(database)))
    throw new StartupError(
      "The connections to the database share one session: a pooler in transaction mode stands before it. Connect to PostgreSQL itself, or to a pooler in session mode.",
    );
  return { database, maintenanceDatabase };
}

const REPLICA_CONNECTIONS = 4;

/** Opens a replica for reads. Where it is away, the service starts and works without it. */
async function openReplica(
  connectionString: string,
  {
    database,
    clock,
    warnThrottled,
    onStop,
  }: Pick<StoreOptions, "clock" | "warnThrottled" | "onStop"> & { readonly database: Database },
): Promise<Store["replica"]> {
  const warn = (error: unknown) =>
    warnThrottled(error, "The database of DATABASE_READ_URL is away or behind: usage is read from the primary.");
  const servers = new DatabaseServers({ connectionString }, "prefer-standby");
  const replica = openDatabase(servers, warn, {
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    connections: REPLICA_CONNECTIONS,
  });
  onStop(() => replica.close());
  await requireReplicaOf(database, replica);
  const position = new ReadReplica(database, replica, { monotonicMs: () => clock.monotonicMs(), onError: warn });
  return { database: replica, position };
}

/** Above this, the machine's clock is worth a warning. */
const SKEW_MS_MAX = 1_000;

/** Sets the clock to the store's time and keeps it there. Warns, now and each minute, where the machine's own clock is wrong. */
async function observeTime(clock: StoreClock, database: Database, log: Services["log"]): Promise<TimeObserver> {
  const warnOfSkew = () => {
    const { skewMs = 0 } = clock;
    if (Math.abs(skewMs) <= SKEW_MS_MAX) return;
    const way = skewMs > 0 ? "ahead of" : "behind";
    const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
    log.warn(
      { clockSkewSeconds: skewMs / 1000 },
      `This machine's clock is ${seconds} s ${way} the database's, whose time is used. Set the clock.`,
    );
  };
  await clock.set(database);
  warnOfSkew();
  return {
    monotonicMs: () => clock.monotonicMs(),
    observe(sample) {
      if (clock.observe(sample)) warnOfSkew();
    },
  };
}
