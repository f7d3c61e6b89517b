import { createHash } from "node:crypto";
import { chmod, chown, lstat, mkdir, rm, rmdir } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DataFolder } from "./data-folder.ts";
import { EmbeddedPostgresError } from "./errors.ts";
import { type Account, findUnreadableFolder } from "./find-barrier.ts";

/** The usual number in a socket's name: no TCP port is opened. */
export const SOCKET_PORT = 5432;

/** The system cuts socket paths at 104 bytes (macOS) or 108 (Linux). */
const PATH_BYTES_MAX = 100;

/** A private folder with a path short enough for a socket: the data's own, or one under the temporary folder. */
export async function prepareSocketFolder({ home, account }: DataFolder): Promise<string> {
  if (isShortEnough(home)) return home;
  const name = `trunkline-${createHash("sha256").update(home).digest("hex").slice(0, 16)}`;
  for (const parent of [tmpdir(), "/tmp"]) {
    const folder = join(parent, name);
    if (!isShortEnough(folder)) continue;
    // A temporary folder may itself be private to one user, or not exist.
    const barrier = await findUnreadableFolder(parent, account ?? currentAccount()).catch(() => parent);
    if (barrier !== undefined) continue;
    await makePrivateFolder(folder, account ?? currentAccount());
    return folder;
  }
  throw new EmbeddedPostgresError(
    `The path ${home} is too long for a socket, and there is no shorter private place. Choose a shorter data folder.`,
  );
}

/** Takes away what a killed server left, after making sure that no server listens behind it. */
export async function removeStaleSocket(folder: string, port: number): Promise<void> {
  const socket = join(folder, `.s.PGSQL.${port}`);
  // A server in another container with the same volume has a pid that we can't see, but its socket answers.
  if (await isListening(socket)) {
    throw new EmbeddedPostgresError(
      `A PostgreSQL that this gateway can't stop answers on ${socket}; perhaps another container uses the same data ` +
        "folder. Stop it first, or choose another data folder.",
    );
  }
  await rm(socket, { force: true });
  await rm(`${socket}.lock`, { force: true });
}

/** Leaves nothing in the temporary folder. */
export async function removeSocketFolder(folder: string, home: string): Promise<void> {
  if (folder !== home) await rmdir(folder).catch(() => undefined);
}

function currentAccount(): Account {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

function isShortEnough(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${SOCKET_PORT}.lock`)) <= PATH_BYTES_MAX;
}

/** The temporary folder is everyone's: a folder of this name that someone else put there must not be used. */
async function makePrivateFolder(folder: string, owner: Account): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const found = await lstat(folder);
  if (found.isDirectory() && found.uid === process.getuid?.() && found.uid !== owner.uid) {
    await chown(folder, owner.uid, owner.gid);
  } else if (!found.isDirectory() || found.uid !== owner.uid) {
    throw new EmbeddedPostgresError(
      `${folder} is needed for the database's socket but belongs to someone else.`,
    );
  }
  await chmod(folder, 0o700);
}

function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
}
