import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Binaries } from "./binaries.ts";
import { EmbeddedPostgresError } from "./errors.ts";
import type { Account } from "./find-barrier.ts";
import { explainSpawnFailure, spawnProgram } from "./spawn-program.ts";

/** The superuser of every embedded cluster. */
export const DATABASE_USER = "trunkline";

/** Makes an empty cluster in a folder that does not exist yet. */
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
      ? // Whoever can enter the socket's folder owns the data anyway; nobody comes in by another way.
        ["--auth-local=trust", "--auth-host=reject"]
      : ["--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  const words = [
    `--pgdata=${folder}`,
    `--username=${DATABASE_USER}`,
    "--data-checksums",
    ...locale,
    ...login,
  ];
  const parent = dirname(folder);
  const initdb = spawnProgram(binaries.initdb, words, { cwd: parent, account, detached: false });
  const [complaint] = await Promise.all([text(initdb.stderr), once(initdb, "close")]).catch(
    (error: unknown) => {
      throw explainSpawnFailure(error);
    },
  );
  if (initdb.exitCode === 0) return;
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  const end = complaint.trim().split("\n").slice(-20).join("\n");
  throw new EmbeddedPostgresError(
    `The database in ${parent} could not be made. initdb says:\n${end}${hintFor(end)}`,
  );
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
