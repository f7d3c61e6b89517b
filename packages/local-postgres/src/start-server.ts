import { setTimeout as wait } from "node:timers/promises";
import { EmbeddedPostgresError } from "./errors.ts";
import { readPostmasterFile } from "./orphaned-server.ts";
import { type ServerOptions, type ServerProcess, spawnServer } from "./server-process.ts";

const START_LIMIT_MS = 600_000;
const SHARED_MEMORY_LIMIT_MS = 10_000;
const PROGRESS_LOG_MS = 10_000;
const POLL_MS = 5;

/** Money is in here: nothing that weakens durability may come from a configuration file. */
const DURABLE = { fsync: "on", synchronous_commit: "on", full_page_writes: "on" };

const SMALL_FOOTPRINT = {
  shared_buffers: "64MB",
  max_connections: "100",
  max_wal_size: "256MB",
  min_wal_size: "64MB",
  jit: "off",
};

/** Terse, and without statements: those carry what people wrote. */
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
 * Starts the server and waits until it takes connections, however long recovery after a crash takes. Told by the signal
 * to give it up, it throws once the process has ended.
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
    // The helpers of a killed server need a moment to notice and let go of their shared memory.
    const isHeld = lines.includes("pre-existing shared memory block");
    if (!isHeld || performance.now() > deadline || signal?.aborted === true) {
      throw new EmbeddedPostgresError(
        `The embedded PostgreSQL in ${options.cluster} did not start: ${failure}.\n${lines}`,
      );
    }
    await wait(100);
  }
}

/** Reads the server's own file rather than knocking: each early knock would be a line in the log. */
async function waitUntilReady(
  server: ServerProcess,
  options: ServerOptions,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const deadline = performance.now() + START_LIMIT_MS;
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
  return `it was not ready after ${START_LIMIT_MS / 60_000} minutes`;
}
