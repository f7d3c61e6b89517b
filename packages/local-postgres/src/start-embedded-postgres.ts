import { type Access, type Connection, openAccess } from "./access.ts";
import { noteSetAside } from "./cluster-places.ts";
import type { UpgradeStep } from "./cluster-site.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { ensureDatabase } from "./ensure-database.ts";
import { EmbeddedPostgresError } from "./errors.ts";
import { keepPrograms } from "./kept-programs.ts";
import { locateBinaries } from "./locate-binaries.ts";
import { takeLock } from "./lock.ts";
import { openCluster } from "./open-cluster.ts";
import { stopLeftover } from "./orphaned-server.ts";
import { startLastingServer } from "./start-lasting-server.ts";
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
  readonly onlyLook?: boolean;
}

/** Only for tests: other programs than ours, no wait before they are kept, and a look into the upgrade. */
export interface Seams {
  readonly packageName?: string;
  readonly keepAfterMs?: number;
  readonly onUpgradeStep?: (step: UpgradeStep) => void;
}

/** Starts the embedded PostgreSQL on a data folder, and makes it on the first start. */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
  seams: Seams = {},
): Promise<EmbeddedPostgres> {
  try {
    const folder = await openDataFolder(options.dataDir);
    const lock = await takeLock(folder.home);
    try {
      const running = await startLocked(folder, options, seams);
      await lock.forgetDead();
      return { ...running, stop: () => running.stop().finally(() => lock.release()) };
    } catch (error) {
      await lock.release();
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

async function startLocked(
  folder: DataFolder,
  { log, onlyLook = false, copyDatabase }: EmbeddedPostgresOptions,
  seams: Seams,
): Promise<EmbeddedPostgres> {
  const { home, account } = folder;
  const binaries = await locateBinaries(home, account, seams.packageName);
  const access = await openAccess(folder);
  const { passwordFile } = access;
  const { onUpgradeStep } = seams;
  const cluster = await openCluster({ folder, binaries, passwordFile, log, onUpgradeStep }, copyDatabase);
  await stopLeftover(cluster, binaries);
  const server = await startLastingServer({ home, cluster, account, binaries, access, log });
  const keeping = onlyLook
    ? undefined
    : keepPrograms({ home, account, binaries, log, restMs: seams.keepAfterMs });

  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopAll(server, keeping, access);
    return stopping;
  };
  try {
    await ensureDatabase(access.connection);
    return { connection: access.connection, notes: [...folder.notes, ...(await noteSetAside(home))], stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function stopAll(
  server: { stop(): Promise<void> },
  keeping: { stop(): Promise<void> } | undefined,
  access: Access,
): Promise<void> {
  await keeping?.stop();
  await server.stop();
  await access.close();
}
