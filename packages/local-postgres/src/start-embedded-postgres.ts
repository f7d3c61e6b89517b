import { type Connection, prepareServerAddress, type ServerAddress } from "./access.ts";
import { archivedClusterNotes } from "./cluster-places.ts";
import type { UpgradeStep } from "./cluster-site.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { ensureDatabase } from "./ensure-database.ts";
import { EmbeddedPostgresError } from "./errors.ts";
import { retainBinaries } from "./kept-programs.ts";
import { locateBinaries } from "./locate-binaries.ts";
import { acquireLock } from "./lock.ts";
import { openCluster } from "./open-cluster.ts";
import { stopOrphanedServer } from "./orphaned-server.ts";
import { startSupervisedServer } from "./start-lasting-server.ts";
import type { CopyDatabase } from "./upgrade-cluster.ts";

/** A PostgreSQL of our own, running as a child process. Should it end on its own, it is started again. */
export interface EmbeddedPostgres {
  /** For pg's Pool. Unix: host is the socket's folder. Windows: loopback TCP with a password. */
  readonly connection: Connection;
  /** Friendly sentences for the start message, such as that the data is elsewhere because the folder is private. */
  readonly notes: readonly string[];
  /** Fast shutdown, as often as you like; resolves when the process ended and its files are synced. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log: (line: string) => void;
  /** How rows are copied when data of an older PostgreSQL is upgraded. Without it such data is refused. */
  readonly copyDatabase?: CopyDatabase;
  /** For a visit that changes nothing. */
  readonly readOnly?: boolean;
}

/** Only for tests: other programs than ours, no wait before they are kept, and a look into the upgrade. */
export interface TestHooks {
  readonly packageName?: string;
  readonly retainAfterMs?: number;
  readonly onUpgradeStep?: (step: UpgradeStep) => void;
}

/** Starts the embedded PostgreSQL on a data folder, and makes it on the first start. */
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
  { log, readOnly: onlyLook = false, copyDatabase }: EmbeddedPostgresOptions,
  testHooks: TestHooks,
): Promise<EmbeddedPostgres> {
  const { home, account } = folder;
  const binaries = await locateBinaries(home, account, testHooks.packageName);
  const serverAddress = await prepareServerAddress(folder);
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
