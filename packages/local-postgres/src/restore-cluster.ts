import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { chmod, chown, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { BackedUpFile } from "./base-backup.ts";
import { clusterPathsIn, newUnfinishedPath } from "./cluster.ts";
import { prepareServerAddress, SOCKET_PORT } from "./connection.ts";
import { acquireLock, openDataFolder } from "./data-folder.ts";
import { EmbeddedPostgresError, errnoOf } from "./errors.ts";
import { type Account, exists, renameDurably } from "./file-system.ts";
import { locateBinaries } from "./locate-binaries.ts";
import { startServer } from "./server-process.ts";
import { newTimelineSettings, recoverySettings } from "./wal-archive.ts";

/** A moment to which a back-up is rolled forward, by the log that was archived since. */
export interface RollForward {
  readonly archive: string;
  /** undefined: to the end of the archived log. */
  readonly until: Date | undefined;
}

interface RestoreOptions {
  readonly dataDir: string;
  /** Where the compressed files are. */
  readonly source: string;
  readonly folders: readonly string[];
  readonly files: readonly BackedUpFile[];
  readonly majorVersion: string;
  readonly rollForward: RollForward | undefined;
  /** Where the restored server will archive its log; undefined: nowhere. */
  readonly walArchive: string | undefined;
}

/** A day: the log of weeks may have to be replayed. */
const RECOVERY_LIMIT_MS = 24 * 3_600_000;

/** Refuses a data folder that has a store. */
export async function requireNoStore(dataDir: string): Promise<void> {
  const home = join(dataDir, "postgres");
  const entries = await readdir(home).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  });
  if (entries.length === 0) return;
  throw new EmbeddedPostgresError(
    `There is a store in ${home} already. Move it away, or set TRUNKLINE_DATA_DIR to another folder. Nothing was changed.`,
  );
}

/** Restores a base back-up into a data folder that has no store. It has its final name only when it is complete and recovered. */
export async function restoreCluster(options: RestoreOptions): Promise<void> {
  const { dataDir, files, folders, source, rollForward } = options;
  await requireNoStore(dataDir);
  const recovery =
    rollForward === undefined
      ? newTimelineSettings(options.walArchive)
      : await recoverySettings(rollForward.archive, rollForward.until);
  const folder = await openDataFolder(dataDir);
  const lock = await acquireLock(folder.home);
  const { cluster } = clusterPathsIn(folder.home);
  const unfinished = newUnfinishedPath(cluster);
  try {
    if (await exists(cluster)) throw new EmbeddedPostgresError(`There is a store in ${cluster} already.`);
    const binaries = await locateBinaries(folder.home, folder.account);
    if (binaries.majorVersion !== options.majorVersion) {
      throw new EmbeddedPostgresError(
        `The back-up holds files of PostgreSQL ${options.majorVersion}, and this gateway brings PostgreSQL ${binaries.majorVersion}. ` +
          "Restore it with the version of Trunkline that made it; a later start of this one brings the data over.",
      );
    }
    await makeFolder(unfinished, folder.account);
    for (const path of ["pg_wal", ...folders].toSorted()) await makeFolder(join(unfinished, path), folder.account);
    for (const file of files) await unpackFile(source, unfinished, file, folder.account);
    await writeOwned(join(unfinished, "recovery.signal"), folder.account);
    const address = await prepareServerAddress(folder, SOCKET_PORT + 3);
    await address.removeStale();
    const settings = { ...address.settings, ...recovery, hot_standby: "off" };
    const server = await startServer({
      binaries,
      cluster: unfinished,
      account: folder.account,
      settings,
      // Its last lines are part of the error of a failed start.
      log: () => undefined,
      readyLimitMs: RECOVERY_LIMIT_MS,
    });
    await server.stop();
    const end = await server.ended;
    if (end !== "exit code 0") throw new Error(`the recovered server did not stop in order (${end})`);
    await address.cleanUp();
    await renameDurably(unfinished, cluster);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    throw explain(error, rollForward);
  } finally {
    await lock.release();
  }
}

function explain(error: unknown, rollForward: RollForward | undefined): unknown {
  if (!(error instanceof Error) || rollForward === undefined) return error;
  if (!/recovery ended before configured recovery target|requested recovery stop point/.test(error.message))
    return error;
  return new EmbeddedPostgresError(
    `The log in ${rollForward.archive} ends before ${rollForward.until?.toISOString()}, or a part of it is missing. Choose an ` +
      "earlier moment, or leave --at out to replay what is there. Nothing was restored.",
    { cause: error },
  );
}

async function makeFolder(path: string, account: Account | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
  if (account !== undefined) await chown(path, account.uid, account.gid);
}

async function writeOwned(path: string, account: Account | undefined): Promise<void> {
  await writeFile(path, "", { mode: 0o600 });
  if (account !== undefined) await chown(path, account.uid, account.gid);
}

async function unpackFile(source: string, cluster: string, file: BackedUpFile, account: Account | undefined) {
  const target = join(cluster, file.path);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await pipeline(
    createReadStream(join(source, `${file.path}.gz`)),
    createGunzip(),
    createWriteStream(target, { flags: "wx", mode: 0o600, flush: true }),
  );
  if (account !== undefined) await chown(target, account.uid, account.gid);
}

/** Reads a compressed file of a back-up and compares. Returns what is wrong with it; undefined: nothing. */
export async function findDamage(source: string, file: BackedUpFile): Promise<string | undefined> {
  const hash = createHash("sha256");
  let bytes = 0;
  const count = new Writable({
    write(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done();
    },
  });
  try {
    await pipeline(createReadStream(join(source, `${file.path}.gz`)), createGunzip(), count);
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? "it is missing" : "it can't be read";
  }
  return bytes === file.bytes && hash.digest("hex") === file.sha256 ? undefined : "its checksum is another";
}
