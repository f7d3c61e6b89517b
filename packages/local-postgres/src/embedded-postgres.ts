import { realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  activateUpgraded,
  archivedClusterNotes,
  type ClusterOptions,
  clearUnfinished,
  clusterPathsIn,
  createCluster,
  newUnfinishedPath,
  readMajorVersion,
  type UpgradeStep,
} from "./cluster.ts";
import {
  type Connection,
  connectionTo,
  ensureDatabase,
  prepareServerAddress,
  type ServerAddress,
} from "./connection.ts";
import { acquireLock, type DataFolder, findLockHolder, openDataFolder } from "./data-folder.ts";
import { EmbeddedPostgresError, errnoOf } from "./errors.ts";
import { exists, renameDurably } from "./file-system.ts";
import { findRetainedBinaries, locateBinaries, retainBinaries } from "./locate-binaries.ts";
import { readPostmasterFile, stopOrphanedServer } from "./orphaned-server.ts";
import { startSupervisedServer } from "./supervised-server.ts";
import type { CopyDatabase } from "./upgrade-cluster.ts";
import { walArchiveSettings } from "./wal-archive.ts";

/** A PostgreSQL server that runs as a child process. If it ends unexpectedly, it is started again. */
export interface EmbeddedPostgres {
  /** For pg's Pool. Unix: host is the socket's folder. Windows: loopback TCP with a password. */
  readonly connection: Connection;
  /** Sentences for the start message, for example that the data is elsewhere because the folder is private. */
  readonly notes: readonly string[];
  /** Fast shutdown. May be called repeatedly. Resolves when the process has ended and its files are synced. */
  stop(): Promise<void>;
}

interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log: (line: string) => void;
  /** Copies the rows when data of an older PostgreSQL is upgraded; undefined: such data is refused. */
  readonly copyDatabase?: CopyDatabase;
  /** Refuse to change anything. */
  readonly readOnly?: boolean;
  /** The folder that gets each complete part of the server's log; undefined: none. */
  readonly walArchive?: string | undefined;
}

/** Only for tests: other programs, no delay before they are copied, and a view of the upgrade. */
export interface TestHooks {
  readonly packageName?: string;
  readonly retainAfterMs?: number;
  /** Server settings that replace ours. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly onUpgradeStep?: (step: UpgradeStep) => void;
}

/** Starts PostgreSQL on a data folder. The first start creates the cluster. */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
  testHooks: TestHooks = {},
): Promise<EmbeddedPostgres> {
  try {
    const folder = await openDataFolder(options.dataDir);
    const dataFolderLock = await acquireLock(folder.home);
    try {
      const running = await startOnFolder(folder, options, testHooks);
      await dataFolderLock.removeStale();
      return { ...running, stop: () => running.stop().finally(() => dataFolderLock.release()) };
    } catch (error) {
      await dataFolderLock.release();
      throw error;
    }
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new EmbeddedPostgresError(`The store in ${options.dataDir} can't be opened: ${reason}`, {
      cause: error,
    });
  }
}

async function startOnFolder(
  folder: DataFolder,
  { log, readOnly: onlyLook = false, copyDatabase, walArchive }: EmbeddedPostgresOptions,
  testHooks: TestHooks,
): Promise<EmbeddedPostgres> {
  const { home, account } = folder;
  const binaries = await locateBinaries(home, account, testHooks.packageName);
  const prepared = await prepareServerAddress(folder);
  const archiving = await walArchiveSettings(walArchive, account);
  const serverAddress = { ...prepared, settings: { ...prepared.settings, ...archiving, ...testHooks.settings } };
  const { passwordFile } = serverAddress;
  const { onUpgradeStep } = testHooks;
  const cluster = await openCluster({ folder, binaries, passwordFile, log, onUpgradeStep }, copyDatabase);
  await stopOrphanedServer(cluster, binaries);
  const server = await startSupervisedServer({ home, cluster, account, binaries, serverAddress, log });
  const keeping = onlyLook
    ? undefined
    : retainBinaries({ home, account, binaries, log, delayMs: testHooks.retainAfterMs });

  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopAll(server, keeping, serverAddress);
    return stopping;
  };
  try {
    await ensureDatabase(serverAddress.connection);
    return {
      connection: serverAddress.connection,
      notes: [...folder.notes, ...(await archivedClusterNotes(home))],
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function stopAll(
  server: { stop(): Promise<void> },
  keeping: { stop(): Promise<void> } | undefined,
  serverAddress: ServerAddress,
): Promise<void> {
  await keeping?.stop();
  await server.stop();
  await serverAddress.cleanUp();
}

/** The cluster's folder: created by the first start, upgraded where an older version wrote it. */
async function openCluster(site: ClusterOptions, copyDatabase?: CopyDatabase): Promise<string> {
  const { folder, binaries } = site;
  const { home } = folder;
  const { cluster } = clusterPathsIn(home);
  await activateUpgraded(home);
  await clearUnfinished(home, (leftover) => stopOrphanedServer(leftover, binaries));
  if (!(await exists(cluster))) {
    const unfinished = newUnfinishedPath(cluster);
    await createCluster(unfinished, { ...site, account: folder.account });
    await renameDurably(unfinished, cluster);
    return cluster;
  }
  const version = await readMajorVersion(cluster);
  if (version !== binaries.majorVersion) await upgradeIfAllowed(site, copyDatabase, cluster, version);
  return cluster;
}

async function upgradeIfAllowed(
  site: ClusterOptions,
  copyDatabase: CopyDatabase | undefined,
  cluster: string,
  version: string,
): Promise<void> {
  const { binaries, folder } = site;
  const trouble =
    `The data in ${cluster} was written by PostgreSQL ${version}, and this gateway brings PostgreSQL ` +
    `${binaries.majorVersion}`;
  const isOlder = Number(version) < Number(binaries.majorVersion);
  const programs = isOlder ? await findRetainedBinaries(folder.home, version) : undefined;
  if (programs === undefined) {
    const reason = isOlder ? `, without the programs of PostgreSQL ${version} beside the data to read it` : "";
    throw new EmbeddedPostgresError(
      `${trouble}${reason}. The data is untouched: start it with the gateway version that wrote it.`,
    );
  }
  if (copyDatabase === undefined) {
    throw new EmbeddedPostgresError(`${trouble}. Start the service once; it brings the data over.`);
  }
  const { upgradeCluster } = await import("./upgrade-cluster.ts");
  await upgradeCluster({ ...site, programs, copyDatabase });
}

/**
 * How to reach the server of the gateway that runs on a data folder; undefined: none runs. Refuses a folder without a
 * store, so that a command that only reads does not create an empty one.
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

/** Where the files of a data folder's store are. */
export async function locateStore(dataDir: string): Promise<{ home: string; cluster: string }> {
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
