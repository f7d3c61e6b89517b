import { execFile, spawn } from "node:child_process";
import type { EventEmitter } from "node:events";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import { EmbeddedPostgresError } from "./errors.ts";
import type { Account } from "./file-system.ts";
import { readPostmasterFile } from "./orphaned-server.ts";
import { explainSpawnFailure, spawnProgram } from "./process.ts";

/** A running `postgres`. */
export interface ServerProcess {
  readonly pid: number | undefined;
  /** Resolves with how it ended. */
  readonly ended: Promise<string>;
  /** Rejects if the program can't be executed at all; otherwise stays pending. */
  readonly spawnFailed: Promise<never>;
  /** Its last output lines, of every level. */
  lastLines(): string;
  /** Requests a fast shutdown: clients are disconnected, everything is written and synced. */
  stop(): Promise<void>;
}

interface ServerOptions {
  readonly binaries: Binaries;
  readonly cluster: string;
  readonly account: Account | undefined;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
  /** How long the start may take: replaying an archived log may take hours. */
  readonly readyLimitMs?: number;
}

const LINES_MAX = 20;
const FAST_LIMIT_MS = 60_000;
const IMMEDIATE_LIMIT_MS = 10_000;
const LAST_LINES_LIMIT_MS = 500;

/** Starts `postgres` in its own session, so that Ctrl-C at the terminal reaches only the gateway. */
export function spawnServer({ binaries, cluster, account, settings, log }: ServerOptions): ServerProcess {
  const words = ["-D", cluster, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  const child = spawnProgram(binaries.postgres, words, { cwd: cluster, account, detached: true });
  if (child.pid !== undefined) stopWithThisProcess(child.pid, account, child);
  const lines: string[] = [];
  const isWorthLogging = createLevelFilter();
  createInterface({ input: child.stderr }).on("line", (line) => {
    lines.push(line);
    if (lines.length > LINES_MAX) lines.shift();
    if (isWorthLogging(line)) log(line);
  });
  const silent = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
  });
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      // The last lines may still be in the pipe, but a child of a killed server can hold it open for a long time.
      void Promise.race([silent, wait(LAST_LINES_LIMIT_MS, undefined, { ref: false })]).then(() => resolve(how));
    });
  });
  const unstartable = new Promise<never>((_, reject) => {
    child.once("error", (error) => reject(explainSpawnFailure(error)));
  });
  unstartable.catch(() => undefined);

  async function stop(): Promise<void> {
    if (child.pid === undefined) return;
    if (process.platform === "win32") {
      // Windows has no signals; pg_ctl stops the server there.
      execFile(binaries.pgCtl, ["stop", "-D", cluster, "-m", "fast", "-W"]);
    } else {
      child.kill("SIGINT");
    }
    // After these signals the next start recovers from the write-ahead log, so no committed row is lost.
    const immediate = setTimeout(() => child.kill("SIGQUIT"), FAST_LIMIT_MS);
    const kill = setTimeout(() => child.kill("SIGKILL"), FAST_LIMIT_MS + IMMEDIATE_LIMIT_MS);
    await ended;
    clearTimeout(immediate);
    clearTimeout(kill);
  }
  return { pid: child.pid, ended, spawnFailed: unstartable, lastLines: () => lines.join("\n"), stop };
}

/**
 * Stops the server when this process ends without doing so, as by kill -9: a shell waits for the end of a pipe that only
 * this process holds open. On Windows the next start stops the server.
 */
function stopWithThisProcess(pid: number, account: Account | undefined, server: EventEmitter): void {
  if (process.platform === "win32") return;
  const script = 'read -r word; [ "$word" = ended ] || kill -INT "$0"';
  const watcher = spawn("/bin/sh", ["-c", script, String(pid)], {
    ...account,
    cwd: "/",
    env: {},
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a watcher, the next start stops the server.
  watcher.on("error", () => undefined);
  watcher.stdin?.on("error", () => undefined);
  watcher.unref();
  if (watcher.stdin instanceof Socket) watcher.stdin.unref();
  // The pid may soon belong to another process.
  server.once("exit", () => watcher.stdin?.end("ended\n"));
}

/** PostgreSQL ranks LOG messages above errors, so none of its settings selects only warnings and worse. */
export function createLevelFilter(): (line: string) => boolean {
  let passes = true;
  return (line) => {
    const level = /^(?:(WARNING|ERROR|FATAL|PANIC)|LOG|NOTICE|INFO|DEBUG\d?): /.exec(line);
    // A line without a level (a hint, a detail) belongs to the line before.
    if (level !== null) passes = level[1] !== undefined;
    return passes;
  };
}

const START_LIMIT_MS = 600_000;
const SHARED_MEMORY_LIMIT_MS = 10_000;
const PROGRESS_LOG_MS = 10_000;
const POLL_MS = 5;

/** The ledger is stored here: no configuration file may weaken durability. */
const DURABLE = { fsync: "on", synchronous_commit: "on", full_page_writes: "on" };

const SMALL_FOOTPRINT = {
  shared_buffers: "64MB",
  max_connections: "100",
  max_wal_size: "256MB",
  min_wal_size: "64MB",
  jit: "off",
};

/** Terse, and without statements, which contain user data. */
const QUIET = {
  log_destination: "stderr",
  logging_collector: "off",
  log_line_prefix: "",
  log_min_messages: "warning",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
  lc_messages: "C",
};

/**
 * Starts the server and waits until it accepts connections, without a limit for crash recovery. When the signal aborts,
 * it throws after the process has ended.
 */
export async function startServer(options: ServerOptions, signal?: AbortSignal): Promise<ServerProcess> {
  const deadline = performance.now() + SHARED_MEMORY_LIMIT_MS;
  const settings = { ...DURABLE, ...SMALL_FOOTPRINT, ...QUIET, ...options.settings };
  for (;;) {
    const server = spawnServer({ ...options, settings });
    const failure = await Promise.race([
      waitUntilReady(server, options, signal),
      server.spawnFailed,
      server.ended.then((how) => `it ended with ${how}`),
    ]);
    if (failure === undefined) return server;

    const lines = server.lastLines();
    await server.stop();
    // The children of a killed server need a moment to release their shared memory.
    const isHeld = lines.includes("pre-existing shared memory block");
    if (!isHeld || performance.now() > deadline || signal?.aborted === true) {
      throw new EmbeddedPostgresError(
        `The embedded PostgreSQL in ${options.cluster} did not start: ${failure}.\n${lines}`,
      );
    }
    await wait(100);
  }
}

/** Reads the server's status file. Connection attempts that come too early would each write a log line. */
async function waitUntilReady(
  server: ServerProcess,
  options: ServerOptions,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { readyLimitMs = START_LIMIT_MS } = options;
  const deadline = performance.now() + readyLimitMs;
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  void Promise.race([server.ended, server.spawnFailed]).then(over, over);
  let patienceEnd = performance.now() + PROGRESS_LOG_MS;
  while (performance.now() < deadline && !isOver) {
    if (signal?.aborted === true) return "it was told to stop";
    if (performance.now() > patienceEnd) {
      options.log("PostgreSQL is not ready yet; after a crash it first recovers what was committed.");
      patienceEnd += PROGRESS_LOG_MS;
    }
    const file = await readPostmasterFile(options.cluster);
    if (file?.isReady === true && file.pid === server.pid) return undefined;
    await wait(POLL_MS);
  }
  return `it was not ready after ${readyLimitMs / 60_000} minutes`;
}
