import { chown, mkdir, rm } from "node:fs/promises";
import type { Binaries } from "./binaries.ts";
import {
  activateUpgraded,
  archiveCluster,
  type ClusterOptions,
  clusterPathsIn,
  createCluster,
  newUnfinishedPath,
  type UpgradeStep,
} from "./cluster.ts";
import { type Connection, databaseExists, ensureDatabase, prepareServerAddress, SOCKET_PORT } from "./connection.ts";
import { EmbeddedPostgresError } from "./errors.ts";
import { type Account, renameDurably } from "./file-system.ts";
import { removeStalePostmasterFile, stopOrphanedServer } from "./orphaned-server.ts";
import { startServer } from "./server-process.ts";

/** Copies the database of one server to an empty one of another. Both servers can write to `folder`. */
export type CopyDatabase = (
  from: Connection,
  to: Connection,
  folder: string,
  onTable: (done: number, of: number) => void,
) => Promise<void>;

/** What an upgrade needs: the programs that wrote the cluster, and a function that copies its rows. */
export interface UpgradeSite extends ClusterOptions {
  readonly programs: Binaries;
  readonly copyDatabase: CopyDatabase;
}

const PROGRESS_LOG_MS = 10_000;

/**
 * Upgrades a cluster to the major version of the gateway's programs: the old server, run by the retained programs, copies
 * every row to a new one. The old cluster is only read, and renamed when the new one is complete. If the gateway is killed
 * before that, the next start repeats the upgrade; after it, the next start takes the new cluster.
 */
export async function upgradeCluster(site: UpgradeSite): Promise<void> {
  const { folder, binaries, programs, log, onUpgradeStep: reach = () => undefined } = site;
  const { home, account } = folder;
  const { cluster, upgrade, rows, upgraded: filled } = clusterPathsIn(home);
  const filling = newUnfinishedPath(filled);
  const way = `from PostgreSQL ${programs.majorVersion} to ${binaries.majorVersion}`;
  log(`The data in ${cluster} is brought over ${way}. With much data this takes a while.`);
  try {
    await makePrivateFolder(upgrade, account);
    await makePrivateFolder(rows, account);
    await createCluster(filling, { ...site, account });
    await stopOrphanedServer(cluster, programs);
    await fillNewCluster(site, filling, reach);
    await renameDurably(filling, filled);
  } catch (error) {
    await rm(upgrade, { recursive: true, force: true }).catch(() => undefined);
    const reason = error instanceof Error ? error.message : String(error);
    throw new EmbeddedPostgresError(
      `The data in ${cluster} can't be brought over ${way}. It is untouched: see to what is in the way and start again, ` +
        `or start it with the gateway version that wrote it. In the way is this: ${reason}`,
      { cause: error },
    );
  }
  reach("filled");
  await archiveCluster(home, programs.majorVersion);
  reach("set aside");
  await activateUpgraded(home);
  // The next start deletes the rest.
  await rm(upgrade, { recursive: true, force: true }).catch(() => undefined);
  log(`The data was brought over ${way}.`);
}

/** Runs both servers and copies the rows. */
async function fillNewCluster(site: UpgradeSite, filling: string, reach: (step: UpgradeStep) => void): Promise<void> {
  const { cluster, rows } = clusterPathsIn(site.folder.home);
  const old = await startTemporaryServer(site, site.programs, cluster, SOCKET_PORT + 1, READ_ONLY);
  try {
    // A first start that was interrupted leaves a cluster without the database: there is nothing to copy.
    if (!(await databaseExists(old.connection))) return;
    const fresh = await startTemporaryServer(site, site.binaries, filling, SOCKET_PORT + 2);
    try {
      await ensureDatabase(fresh.connection);
      await site.copyDatabase(old.connection, fresh.connection, rows, createProgressLog(site.log, reach));
    } finally {
      await fresh.stop();
    }
    const end = await fresh.ended;
    if (end !== "exit code 0") throw new Error(`the new server did not stop in order (${end})`);
  } finally {
    await old.stop();
  }
}

const READ_ONLY = { default_transaction_read_only: "on" };

/** A server on its own socket, which none of the gateway's clients uses. */
async function startTemporaryServer(
  { folder, log }: ClusterOptions,
  binaries: Binaries,
  cluster: string,
  socketNumber: number,
  extra: Readonly<Record<string, string>> = {},
) {
  const serverAddress = await prepareServerAddress(folder, socketNumber);
  await serverAddress.removeStale();
  await removeStalePostmasterFile(cluster);
  const settings = { ...serverAddress.settings, ...extra };
  const server = await startServer({ binaries, cluster, account: folder.account, settings, log });
  return { ...server, connection: serverAddress.connection };
}

function createProgressLog(log: (line: string) => void, reach: (step: UpgradeStep) => void) {
  let patienceEnd = performance.now() + PROGRESS_LOG_MS;
  return (done: number, of: number) => {
    reach("copying");
    if (performance.now() < patienceEnd) return;
    patienceEnd = performance.now() + PROGRESS_LOG_MS;
    log(`${done} of ${of} tables are brought over.`);
  };
}

async function makePrivateFolder(path: string, account: Account | undefined): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (account !== undefined) await chown(path, account.uid, account.gid);
}
