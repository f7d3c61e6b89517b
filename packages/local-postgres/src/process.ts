import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { EmbeddedPostgresError, errnoOf } from "./errors.ts";
import type { Account } from "./file-system.ts";

/** A PostgreSQL program whose output is read. */
type Program = ChildProcessByStdio<null, null, Readable>;

/**
 * The environment of the programs: nothing of ours, so that a start never depends on the user's shell. On Windows the
 * system itself needs these variables.
 */
const ENVIRONMENT = process.platform === "win32" ? {} : { env: { TZ: "UTC", LC_ALL: "C", PATH: "/usr/bin:/bin" } };

/** Starts a PostgreSQL program as an account. A failure may also come as the child's "error" event. */
export function spawnProgram(
  path: string,
  words: readonly string[],
  where: { readonly cwd: string; readonly account: Account | undefined; readonly detached: boolean },
): Program {
  try {
    return spawn(path, words, {
      ...where.account,
      cwd: where.cwd,
      detached: where.detached,
      ...ENVIRONMENT,
      stdio: ["ignore", "ignore", "pipe"],
      windowsHide: true,
    });
  } catch (error) {
    throw explainSpawnFailure(error);
  }
}

/** The error message for a program that could not be started. */
export function explainSpawnFailure(error: unknown): EmbeddedPostgresError {
  const program = error instanceof Error && "path" in error ? String(error.path) : "";
  if (errnoOf(error) === "ENOENT" && !existsSync(program)) {
    return new EmbeddedPostgresError(`${program} is gone. Install the packages again.`, { cause: error });
  }
  const reasons: Record<string, string> = {
    ENOENT: "The bundled PostgreSQL does not run on this system: it needs glibc, as Debian, Ubuntu and Fedora have it.",
    EACCES: "The bundled PostgreSQL may not be executed here (is its folder mounted noexec?).",
    EPERM: "PostgreSQL does not run as root, and this process may not become another user: start it as one.",
  };
  const reason = reasons[errnoOf(error) ?? ""] ?? `PostgreSQL could not be started (${String(error)}).`;
  return new EmbeddedPostgresError(`${reason} Or set DATABASE_URL to a PostgreSQL of your own.`, {
    cause: error,
  });
}

/** A running process whose start time is not readable. */
export const UNKNOWN_START = "unknown";

/**
 * Identifies a process by its start time and boot, because the system reuses the pids of dead processes; undefined: no
 * such process runs.
 */
export async function identifyProcess(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") return identifyByProc(pid);
  if (!isProcessAlive(pid)) return undefined;
  const [command, ...words] =
    process.platform === "win32"
      ? ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", `(Get-Process -Id ${pid}).StartTime.Ticks`]
      : ["/bin/ps", "-o", "lstart=", "-p", String(pid)];
  return outputOf(command, words).catch(() => (isProcessAlive(pid) ? UNKNOWN_START : undefined));
}

/** Whether the pid exists. True for a zombie as well. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}

async function identifyByProc(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1");
    // The program's name comes first, in parentheses, and may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended; its parent has not read its exit status yet.
    if (fields[0] === "Z" || fields[0] === "X") return undefined;
    const boot = await readFile("/proc/sys/kernel/random/boot_id", "latin1").catch(() => "");
    return `${boot.trim()} ${fields[19]}`;
  } catch {
    // Either it has ended, or /proc hides processes of other accounts.
    return isProcessAlive(pid) ? UNKNOWN_START : undefined;
  }
}

async function outputOf(command: string, words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, words);
  const line = stdout.trim();
  if (line === "") throw new Error(`${command} said nothing.`);
  return line;
}
