import { lstat, open, realpath, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errnoOf } from "./errors.ts";

/** The user and group that PostgreSQL runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Permissions as one octal digit of a mode. */
const TRAVERSE = 0o1;
export const READ = 0o4;
export const EXECUTE = 0o5;

/**
 * The first folder of a path that an account can't enter, or the path itself if the account lacks `rights` on it.
 * Computed from the modes, because the kernel would only answer a process of that account.
 */
export async function findUnreadableFolder(
  path: string,
  account: Account,
  rights: number = TRAVERSE,
): Promise<string | undefined> {
  const target = await realpath(path);
  for (const step of ancestorsOf(target)) {
    const needed = step === target ? rights : TRAVERSE;
    const { mode, uid, gid } = await stat(step);
    const granted = uid === account.uid ? mode >> 6 : gid === account.gid ? mode >> 3 : mode;
    if ((granted & needed) !== needed) return step;
  }
  return undefined;
}

function ancestorsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...ancestorsOf(parent), path];
}

export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => {
      if (errnoOf(error) === "ENOENT") return false;
      throw error;
    },
  );
}

/** Renames a folder durably: the new name survives a power failure. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  for (const folder of new Set([dirname(to), dirname(from)])) await syncFolder(folder);
}

/** Windows has no such call and does not need it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}
