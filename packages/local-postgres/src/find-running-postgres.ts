import { realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Connection, connectionTo } from "./access.ts";
import { clusterPathsIn } from "./cluster-places.ts";
import { EmbeddedPostgresError, errnoOf } from "./errors.ts";
import { findLockHolder } from "./lock.ts";
import { readPostmasterFile } from "./orphaned-server.ts";

/**
 * How to reach the server of the gateway that runs on a data folder, or undefined where none runs. Refuses a folder
 * that holds no store, so that nobody who only wants to look makes an empty one.
 */
export async function findRunningPostgres(dataDir: string): Promise<Connection | undefined> {
  const { home, cluster } = await locateStore(dataDir);
  const holder = await findLockHolder(home);
  if (holder === undefined) return undefined;
  const file = await readPostmasterFile(cluster);
  if (file?.isReady !== true) {
    throw new EmbeddedPostgresError(
      `The gateway (process ${holder.pid}) on the data in ${home} is just starting or stopping. Try again in a moment.`,
    );
  }
  return connectionTo(home, file);
}

async function locateStore(dataDir: string): Promise<{ home: string; cluster: string }> {
  try {
    const home = await realpath(join(resolve(dataDir), "postgres"));
    const { cluster } = clusterPathsIn(home);
    await stat(cluster);
    return { home, cluster };
  } catch (error) {
    const reason =
      errnoOf(error) === "ENOENT"
        ? `There is no store in ${dataDir}. Set TRUNKLINE_DATA_DIR or DATABASE_URL to where the data is.`
        : `The store in ${dataDir} can't be looked into. Do it as the user who runs the gateway, or as root.`;
    throw new EmbeddedPostgresError(reason, { cause: error });
  }
}
