import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { errnoOf } from "./errors.ts";

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
      ? [
          "powershell.exe",
          "-NoProfile",
          "-NonInteractive",
          "-Command",
          `(Get-Process -Id ${pid}).StartTime.Ticks`,
        ]
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
