import { Fault } from "@trunkline/core/fault.ts";
import { findRunningPostgres, startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import { type Cluster, identifyClusters } from "../../store/clusters/cluster-registry.ts";
import { openDatabase } from "../../store/database/database.ts";
import type { DatabaseAddress } from "../../store/database/servers.ts";
import { requireCurrentSchema } from "../../store/migrate.ts";
import type { StoreLocation } from "../config/config.ts";

/** Works on the database of the service, whether it runs or not. A server that is started for it is stopped again. */
export async function withStore<Result>(
  { databaseUrl, dataDir, walArchive }: Pick<StoreLocation, "databaseUrl" | "dataDir"> & Partial<StoreLocation>,
  work: (address: DatabaseAddress) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl !== undefined) return work({ connectionString: databaseUrl });
  const running = await findRunningPostgres(dataDir);
  if (running !== undefined) return work(running);

  const starting = startEmbeddedPostgres({ dataDir, walArchive, log: () => undefined, readOnly: true });
  // Broken off at the terminal, the server must not stay behind. Its end is the end of the query that runs.
  const stop = () => void starting.then((postgres) => postgres.stop()).catch(() => undefined);
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    const postgres = await starting;
    return await work(postgres.connection).finally(() => postgres.stop());
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
}

/** Works on all clusters of a service with several databases, home first. They must have been started once. */
export async function withClusters<Result>(
  { databaseUrl, otherDatabaseUrls }: Pick<StoreLocation, "databaseUrl" | "otherDatabaseUrls">,
  work: (clusters: readonly Cluster[]) => Promise<Result>,
): Promise<Result> {
  // A connection that breaks fails the query under way, which says so.
  const databases = [databaseUrl ?? "", ...otherDatabaseUrls].map((connectionString) =>
    openDatabase({ connectionString }, () => undefined, { connections: 4 }),
  );
  try {
    for (const database of databases) await requireCurrentSchema(database);
    return await work(await identifyClusters(databases));
  } finally {
    await Promise.all(databases.map((database) => database.close()));
  }
}

/** A store that is away is a `Fault` for clients; the person at the terminal sees its cause. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof Fault && error.cause instanceof Error
    ? `${error.message} (${error.cause.message})`
    : error.message;
}
