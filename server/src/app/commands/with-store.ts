import { Fault } from "@trunkline/core/fault.ts";
import { findRunningPostgres, startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import type { DatabaseAddress } from "../../store/database/servers.ts";
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

/** A store that is away is a `Fault` for clients; the person at the terminal sees its cause. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof Fault && error.cause instanceof Error
    ? `${error.message} (${error.cause.message})`
    : error.message;
}
