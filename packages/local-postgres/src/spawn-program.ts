import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import { EmbeddedPostgresError, errnoOf } from "./errors.ts";
import type { Account } from "./find-barrier.ts";

/** A program of PostgreSQL's whose messages we read. */
export type Program = ChildProcessByStdio<null, null, Readable>;

/**
 * What the programs see of the environment: nothing of ours, so a start never depends on somebody's shell. On Windows
 * too much of the system itself hangs on these variables.
 */
const ENVIRONMENT =
  process.platform === "win32" ? {} : { env: { TZ: "UTC", LC_ALL: "C", PATH: "/usr/bin:/bin" } };

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
    ENOENT:
      "The bundled PostgreSQL does not run on this system: it needs glibc, as Debian, Ubuntu and Fedora have it.",
    EACCES: "The bundled PostgreSQL may not be executed here (is its folder mounted noexec?).",
    EPERM: "PostgreSQL does not run as root, and this process may not become another user: start it as one.",
  };
  const reason = reasons[errnoOf(error) ?? ""] ?? `PostgreSQL could not be started (${String(error)}).`;
  return new EmbeddedPostgresError(`${reason} Or set DATABASE_URL to a PostgreSQL of your own.`, {
    cause: error,
  });
}
