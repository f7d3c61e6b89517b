import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { lstat, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { DataFolder } from "./data-folder.ts";
import { EmbeddedPostgresError, errnoOf } from "./embedded-postgres-error.ts";
import type { Binaries } from "./locate-binaries.ts";
import { explainSpawnFailure, spawnProgram } from "./spawn-program.ts";

/** The superuser of every embedded cluster. */
export const DATABASE_USER = "trunkline";

const UNFINISHED = "cluster.unfinished-";

/**
 * The folder of the finished cluster, made on the first start. It gets its name only when it is complete, so whatever
 * bears that name is data and is never deleted here.
 */
export async function ensureCluster(
  { home, account }: DataFolder,
  binaries: Binaries,
  passwordFile: string | undefined,
): Promise<string> {
  await clearUnfinished(home);
  const cluster = join(home, "cluster");
  if (await exists(cluster)) {
    await checkVersion(cluster, binaries);
    return cluster;
  }
  const unfinished = join(home, `${UNFINISHED}${randomBytes(4).toString("hex")}`);
  // This locale is built into PostgreSQL, so indexes survive a change of the system's libraries.
  const locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8"];
  const login =
    passwordFile === undefined
      ? // Whoever can enter the socket's folder owns the data anyway; nobody comes in by another way.
        ["--auth-local=trust", "--auth-host=reject"]
      : ["--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  const words = [
    `--pgdata=${unfinished}`,
    `--username=${DATABASE_USER}`,
    "--data-checksums",
    ...locale,
    ...login,
  ];
  const initdb = spawnProgram(binaries.initdb, words, { cwd: home, account, detached: false });
  const [complaint] = await Promise.all([text(initdb.stderr), once(initdb, "close")]).catch(
    (error: unknown) => {
      throw explainSpawnFailure(error);
    },
  );
  if (initdb.exitCode !== 0) {
    await rm(unfinished, { recursive: true, force: true, maxRetries: 3 });
    const end = complaint.trim().split("\n").slice(-20).join("\n");
    throw new EmbeddedPostgresError(
      `The database in ${home} could not be made. initdb says:\n${end}${hintFor(end)}`,
    );
  }
  await rename(unfinished, cluster);
  await syncFolder(home);
  return cluster;
}

/** An initdb whose gateway was killed may still be writing: what resists today goes at the next start. */
async function clearUnfinished(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(UNFINISHED)) continue;
    await rm(join(home, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

async function checkVersion(cluster: string, binaries: Binaries): Promise<void> {
  const version = await readFile(join(cluster, "PG_VERSION"), "utf8").catch((error: unknown) => {
    throw new EmbeddedPostgresError(
      `${cluster} is no complete PostgreSQL data folder (PG_VERSION can't be read). Nothing was changed: bring the ` +
        "files back from a backup, or move the folder away to start empty.",
      { cause: error },
    );
  });
  if (version.trim() === binaries.majorVersion) return;
  throw new EmbeddedPostgresError(
    `The data in ${cluster} was written by PostgreSQL ${version.trim()}, and this gateway brings PostgreSQL ` +
      `${binaries.majorVersion}. The data is untouched: start it with the gateway version that wrote it.`,
  );
}

function hintFor(complaint: string): string {
  return complaint.includes("could not look up effective user ID")
    ? "\nPostgreSQL wants its user to be listed in /etc/passwd: run the gateway as a user that is."
    : "";
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => {
      if (errnoOf(error) === "ENOENT") return false;
      throw error;
    },
  );
}

/** Makes the new name last through a power cut. Windows has no such call and needs none. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}
