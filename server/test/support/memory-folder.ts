import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const PREFIX = "trunkline-test-";
/** More than all temporary files of a run take at once. */
const NEEDED_BYTES = 6 * 1024 ** 3;

/** Puts the temporary files of a run into memory where Linux has room for them: most of a run's waiting is for the disk. */
export function keepTemporaryFilesInMemory(): void {
  if (!hasRoom()) return;
  for (const name of readdirSync(MEMORY)) {
    const pid = Number(name.startsWith(PREFIX) ? name.slice(PREFIX.length) : Number.NaN);
    // A run that was killed left its files behind.
    if (Number.isInteger(pid) && !isAlive(pid)) rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
  const folder = join(MEMORY, `${PREFIX}${process.pid}`);
  mkdirSync(folder, { recursive: true });
  // Like /tmp: PostgreSQL runs as another user where the tests run as root.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
}

/** Whether the temporary files of this run are in memory. */
export function isInMemory(): boolean {
  return tmpdir().startsWith(MEMORY);
}

/** Removes the folder of this run. */
export function clearMemory(): void {
  rmSync(join(MEMORY, `${PREFIX}${process.pid}`), { recursive: true, force: true });
}

function hasRoom(): boolean {
  try {
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .findLast((line) => line.split(" ")[1] === MEMORY);
    // Copies of PostgreSQL's programs are started from there.
    if (mount === undefined || mount.split(" ")[3]?.split(",").includes("noexec") === true) return false;
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > NEEDED_BYTES && freemem() > NEEDED_BYTES;
  } catch {
    // Not Linux, or without such a folder.
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
