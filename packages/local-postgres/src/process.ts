import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { EmbeddedPostgresError, errnoOf } from "./errors.ts";
import type { Account } from "./file-system.ts";

/** A program of PostgreSQL's whose messages we read. */
type Program = ChildProcessByStdio<null, null, Readable>;

/**
 * What the programs see of the environment: nothing of ours, so a start never depends on somebody's shell. On Windows
 * too much of the system itself hangs on these variables.
 */
const ENVIRONMENT = process.platform === "win32" ? {} : { env: { TZ: "UTC", LC_ALL: "C", PATH: "/usr/bin:/bin" } };

/** Starts one of PostgreSQL's programs as an account. A failure to do so may also come as the child's "error" event. */
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

/** A sentence for a program that could not even be started. */
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

/** Stands for a process that lives but won't say since when. */
export const UNKNOWN_START = "unknown";

/**
 * A text that differs between two runs of the same pid (when the process started, and in which boot), or undefined
 * when no such process runs. Needed because the system hands a dead process's pid to another program.
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

/** Whether the system still knows the pid. True for a zombie as well. */
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
    // The program's name comes first, in parentheses, and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended; only its parent has not asked how.
    if (fields[0] === "Z" || fields[0] === "X") return undefined;
    const boot = await readFile("/proc/sys/kernel/random/boot_id", "latin1").catch(() => "");
    return `${boot.trim()} ${fields[19]}`;
  } catch {
    // Either it is gone or /proc hides other people's processes.
    return isProcessAlive(pid) ? UNKNOWN_START : undefined;
  }
}

async function outputOf(command: string, words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, words);
  const line = stdout.trim();
  if (line === "") throw new Error(`${command} said nothing.`);
  return line;
}
