import { execFile } from "node:child_process";
import { readFile, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { Binaries } from "./binaries.ts";
import { EmbeddedPostgresError, errnoOf } from "./errors.ts";
import { identifyProcess, isProcessAlive } from "./process.ts";

const FAST_LIMIT_MS = 60_000;
const IMMEDIATE_LIMIT_MS = 10_000;

/** The content of a cluster's postmaster.pid. */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  /** Empty: it listens on no socket. */
  readonly socketFolder: string;
  readonly isReady: boolean;
}

/** undefined: there is no postmaster.pid. */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const content = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => undefined);
  if (content === undefined) return undefined;
  const lines = content.split("\n");
  const pid = Math.abs(Number.parseInt(lines[0] ?? "", 10));
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return {
    pid,
    port: Number.parseInt(lines[3] ?? "", 10),
    socketFolder: lines[4] ?? "",
    isReady: lines[7]?.trim() === "ready",
  };
}

/**
 * Stops the server that a killed gateway left running. It is not reused, because its log goes nowhere and its settings
 * may be those of an older version.
 */
export async function stopOrphanedServer(cluster: string, binaries: Binaries): Promise<void> {
  if (process.platform === "win32") {
    // It fails where there is nothing to stop. If a server stays, the lock of the next one refuses to start.
    await promisify(execFile)(binaries.pgCtl, ["stop", "-D", cluster, "-m", "fast"]).catch(() => undefined);
    return;
  }
  const pid = (await readPostmasterFile(cluster))?.pid;
  if (pid === undefined || !(await isServerOf(pid, cluster))) return;
  const identity = await identifyProcess(pid);
  if (identity === undefined) return;
  for (const [signal, limitMs] of [
    ["SIGINT", FAST_LIMIT_MS],
    ["SIGQUIT", IMMEDIATE_LIMIT_MS],
  ] as const) {
    if (!sendSignal(pid, signal) || (await hasEnded(pid, identity, limitMs))) return;
  }
  throw new EmbeddedPostgresError(
    `The PostgreSQL of an earlier gateway (process ${pid}) still uses the data in ${cluster} and does not stop.`,
  );
}

/**
 * Deletes a postmaster.pid whose pid now belongs to another program or a zombie, because PostgreSQL would take it for a
 * running server; and an empty one after a full disk, which PostgreSQL would not touch. Call it only after `stopLeftover`
 * and when no socket answers.
 */
export async function removeStalePostmasterFile(cluster: string): Promise<void> {
  if (process.platform === "win32") return;
  const pid = (await readPostmasterFile(cluster))?.pid;
  if (pid !== undefined && (!isProcessAlive(pid) || (await isServerOf(pid, cluster)))) return;
  await rm(join(cluster, "postmaster.pid"), { force: true });
}

/** False: the process no longer exists. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (errnoOf(error) === "ESRCH") return false;
    throw error;
  }
}

async function hasEnded(pid: number, identity: string, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while ((await identifyProcess(pid)) === identity) {
    if (performance.now() > deadline) return false;
    await wait(10);
  }
  return true;
}

async function isServerOf(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === "linux") {
    const words = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
    if (basename(words[0] ?? "") !== "postgres") return false;
    if (words[words.indexOf("-D") + 1] === cluster) return true;
    // The data folder may have been renamed while the server runs, and its working directory is inside.
    const [standing, folder] = await Promise.all([stat(`/proc/${pid}/cwd`).catch(() => undefined), stat(cluster)]);
    return standing?.ino === folder.ino && standing.dev === folder.dev;
  }
  const command = await promisify(execFile)("/bin/ps", ["-ww", "-o", "command=", "-p", String(pid)]).catch(
    () => undefined,
  );
  return command?.stdout.includes(`postgres -D ${cluster} `) ?? false;
}
