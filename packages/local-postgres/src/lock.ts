import { createHash, randomBytes, randomInt } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { EmbeddedPostgresError } from "./errors.ts";
import { identifyProcess, UNKNOWN_START } from "./identify-process.ts";

/** A hold on a data folder. */
export interface DataFolderLock {
  /**
   * Clears away the locks of dead processes. Wait with it until the start has succeeded: a process of another
   * container looks dead from here, and its lock must outlive our being refused for another reason.
   */
  removeStale(): Promise<void>;
  release(): Promise<void>;
}

const LOCK_NAME = /^gateway-(\d+)-([0-9a-f]{16})-[0-9a-f]{8}\.lock$/;
const ATTEMPTS = 3;

/**
 * Makes this process the only gateway on a folder, or throws a sentence that names the other one.
 *
 * Each gateway first puts down a file of its own and only then looks for others: of two that start together, the later
 * one to look sees both files, so never do both go on. The file's name carries pid and start, so a lock can't be seen
 * half written; and as names are never used twice, clearing away a dead one can't hit a living one.
 */
export async function acquireLock(folder: string): Promise<DataFolderLock> {
  for (let attempt = 1; ; attempt++) {
    const mine = await lockNameOf(process.pid);
    const path = join(folder, mine);
    await writeFile(path, `The gateway with pid ${process.pid} uses this folder.\n`, {
      flag: "wx",
      mode: 0o600,
    });
    const { holder, dead } = await scanLocks(folder, mine);
    if (holder === undefined) {
      return {
        removeStale: () => removeAll(dead),
        release: () => removeAll([path]),
      };
    }

    await rm(path, { force: true });
    if (attempt === ATTEMPTS) {
      throw new EmbeddedPostgresError(
        `Another gateway (process ${holder.pid}) already uses the data in ${folder}. Stop it first, or give this one ` +
          `a folder of its own. (If process ${holder.pid} is no gateway, delete ${join(folder, holder.name)}.)`,
      );
    }
    // Two that started in the same instant have both stepped back; a different pause for each lets one through.
    await wait(randomInt(10, 60));
  }
}

/** The process that holds a folder, or undefined where none does. Leaves everything as it is. */
export async function findLockHolder(folder: string): Promise<{ pid: number } | undefined> {
  return (await scanLocks(folder, "")).holder;
}

async function lockNameOf(pid: number): Promise<string> {
  const started = (await identifyProcess(pid)) ?? UNKNOWN_START;
  return `gateway-${pid}-${hashOfStart(started)}-${randomBytes(4).toString("hex")}.lock`;
}

async function scanLocks(
  folder: string,
  mine: string,
): Promise<{ holder: { pid: number; name: string } | undefined; dead: string[] }> {
  const dead: string[] = [];
  for (const name of await readdir(folder)) {
    const [, pidText, mark] = LOCK_NAME.exec(name) ?? [];
    if (pidText === undefined || name === mine) continue;
    const pid = Number(pidText);
    const started = await identifyProcess(pid);
    // In doubt it lives: a needless refusal is better than two gateways on one ledger.
    const lives =
      started !== undefined &&
      (started === UNKNOWN_START || mark === hashOfStart(UNKNOWN_START) || mark === hashOfStart(started));
    if (lives) return { holder: { pid, name }, dead };
    dead.push(join(folder, name));
  }
  return { holder: undefined, dead };
}

async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true });
}

function hashOfStart(started: string): string {
  return createHash("sha256").update(started).digest("hex").slice(0, 16);
}
