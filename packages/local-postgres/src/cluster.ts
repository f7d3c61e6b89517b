import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Binaries } from "./binaries.ts";
import type { DataFolder } from "./data-folder.ts";
import { EmbeddedPostgresError } from "./errors.ts";
import { type Account, exists, renameDurably } from "./file-system.ts";
import { explainSpawnFailure, spawnProgram } from "./process.ts";

/** The progress of an upgrade. */
export type UpgradeStep = "copying" | "filled" | "set aside";

export interface ClusterOptions {
  readonly folder: DataFolder;
  readonly binaries: Binaries;
  readonly passwordFile: string | undefined;
  readonly log: (line: string) => void;
  readonly onUpgradeStep?: ((step: UpgradeStep) => void) | undefined;
}

/** The paths in a data folder. */
interface ClusterPaths {
  /** The data. It gets this name only when it is complete. A folder of this name is never deleted. */
  readonly cluster: string;
  /** Files of an upgrade. Every start deletes them. */
  readonly upgrade: string;
  /** The rows that are copied from one server to the other. */
  readonly rows: string;
  /** The new cluster once it is complete; before that it has another name each time, see `unfinishedBeside`. */
  readonly upgraded: string;
}

export function clusterPathsIn(home: string): ClusterPaths {
  const upgrade = join(home, "upgrade");
  return {
    cluster: join(home, "cluster"),
    upgrade,
    rows: join(upgrade, "rows"),
    upgraded: join(upgrade, "cluster"),
  };
}

const UNFINISHED_INFIX = ".unfinished-";

/** A new name for an incomplete cluster: an initdb whose gateway was killed may still write to the previous one. */
export function newUnfinishedPath(cluster: string): string {
  return `${cluster}${UNFINISHED_INFIX}${randomBytes(4).toString("hex")}`;
}

/** Deletes the incomplete files of a start that was killed. */
export async function clearUnfinished(home: string, stopServer: (cluster: string) => Promise<void>): Promise<void> {
  const { cluster, upgrade } = clusterPathsIn(home);
  for (const name of await readdir(home)) {
    if (!name.startsWith(`${basename(cluster)}${UNFINISHED_INFIX}`)) continue;
    // An initdb may still write there. The next start deletes the rest.
    await rm(join(home, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
  if (!(await exists(upgrade))) return;
  for (const name of await readdir(upgrade)) await stopServer(join(upgrade, name));
  await rm(upgrade, { recursive: true, force: true, maxRetries: 10 });
}

/** Renames the old cluster. If the gateway is killed before the next step, the next start finds the new cluster and takes it. */
export async function archiveCluster(home: string, majorVersion: string): Promise<void> {
  const names = new Set(await readdir(home));
  let name = `cluster-${majorVersion}`;
  // A cluster of that version may exist already, after a return to the old version and another upgrade.
  for (let count = 2; names.has(name); count++) name = `cluster-${majorVersion}-${count}`;
  await renameDurably(clusterPathsIn(home).cluster, join(home, name));
}

/** Renames the new cluster to the final name, also for an upgrade that was killed in between. */
export async function activateUpgraded(home: string): Promise<void> {
  const { cluster, upgraded: filled } = clusterPathsIn(home);
  if ((await exists(cluster)) || !(await exists(filled))) return;
  await renameDurably(filled, cluster);
}

/** The start message about old clusters that are still there. */
export async function archivedClusterNotes(home: string): Promise<string[]> {
  const names = (await readdir(home)).filter((name) => /^cluster-\d+(-\d+)?$/.test(name));
  return names.map(
    (name) =>
      `The data was brought over from PostgreSQL ${/\d+/.exec(name)?.[0]}. The old files are kept in ` +
      `${join(home, name)}; delete that folder when you won't go back to them.`,
  );
}

/** The superuser of every embedded cluster. */
export const DATABASE_USER = "trunkline";

/** Creates an empty cluster in a folder that does not exist yet. */
export async function createCluster(
  folder: string,
  options: {
    readonly binaries: Binaries;
    readonly account: Account | undefined;
    readonly passwordFile: string | undefined;
  },
): Promise<void> {
  const { binaries, account, passwordFile } = options;
  // This locale is built into PostgreSQL, so indexes survive a change of the system's libraries.
  const locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8"];
  const login =
    passwordFile === undefined
      ? // Only the owner of the data can enter the socket's folder, and there is no other way to connect.
        ["--auth-local=trust", "--auth-host=reject"]
      : ["--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  // A new segment of the log is filled with zeros while commits wait: 1 MB instead of 16 keeps that wait short.
  const storage = ["--data-checksums", "--wal-segsize=1"];
  const words = [`--pgdata=${folder}`, `--username=${DATABASE_USER}`, ...storage, ...locale, ...login];
  const parent = dirname(folder);
  const initdb = spawnProgram(binaries.initdb, words, { cwd: parent, account, detached: false });
  const [complaint] = await Promise.all([text(initdb.stderr), once(initdb, "close")]).catch((error: unknown) => {
    throw explainSpawnFailure(error);
  });
  if (initdb.exitCode === 0) return;
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  const end = complaint.trim().split("\n").slice(-20).join("\n");
  throw new EmbeddedPostgresError(`The database in ${parent} could not be made. initdb says:\n${end}${hintFor(end)}`);
}

/** The major version that wrote a cluster. */
export async function readMajorVersion(cluster: string): Promise<string> {
  const version = await readFile(join(cluster, "PG_VERSION"), "utf8").catch((error: unknown) => {
    throw new EmbeddedPostgresError(
      `${cluster} is no complete PostgreSQL data folder (PG_VERSION can't be read). Nothing was changed: bring the ` +
        "files back from a backup, or move the folder away to start empty.",
      { cause: error },
    );
  });
  return version.trim();
}

function hintFor(complaint: string): string {
  return complaint.includes("could not look up effective user ID")
    ? "\nPostgreSQL wants its user to be listed in /etc/passwd: run the gateway as a user that is."
    : "";
}
