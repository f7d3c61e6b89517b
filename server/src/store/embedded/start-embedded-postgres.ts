import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import { type Connection, openAccess } from "./access.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { locateBinaries } from "./locate-binaries.ts";
import { takeLock } from "./lock.ts";
import { ensureCluster } from "./make-cluster.ts";
import { type ServerOptions, type ServerProcess, spawnServer } from "./server-process.ts";
import { clearPostmasterFile, readPostmasterFile, stopLeftover } from "./stop-leftover.ts";

/** A PostgreSQL of our own, running as a child process. */
export interface EmbeddedPostgres {
  /** For pg's Pool. Unix: host is the socket's folder. Windows: loopback TCP with a password. */
  readonly connection: Connection;
  /** Friendly sentences for the start message, such as that the data is elsewhere because the folder is private. */
  readonly notes: readonly string[];
  /** Fast shutdown, as often as you like; resolves when the process ended and its files are synced. */
  stop(): Promise<void>;
  /** Resolves with a sentence if the server ends without having been stopped. */
  readonly died: Promise<string>;
}

const START_LIMIT_MS = 600_000;
const CONNECT_LIMIT_MS = 30_000;
const RELEASE_LIMIT_MS = 10_000;
const PATIENCE_MS = 10_000;
const POLL_MS = 5;

/** Money is in here: nothing that weakens durability may come from a configuration file. */
const DURABLE = { fsync: "on", synchronous_commit: "on", full_page_writes: "on" };

const MODEST = {
  shared_buffers: "64MB",
  max_connections: "50",
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

/** Starts the embedded PostgreSQL on a data folder, and makes it on the first start. */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: (line: string) => void;
}): Promise<EmbeddedPostgres> {
  try {
    const folder = await openDataFolder(options.dataDir);
    const lock = await takeLock(folder.home);
    try {
      const running = await startLocked(folder, options.log);
      await lock.forgetDead();
      return { ...running, stop: () => running.stop().finally(() => lock.release()) };
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new EmbeddedPostgresError(`The store in ${options.dataDir} can't be opened: ${reason}`, {
      cause: error,
    });
  }
}

async function startLocked(folder: DataFolder, log: (line: string) => void): Promise<EmbeddedPostgres> {
  const { account, notes } = folder;
  const binaries = await locateBinaries(folder.home, account);
  const access = await openAccess(folder);
  const cluster = await ensureCluster(folder, binaries, access.passwordFile);
  await stopLeftover(cluster, binaries);
  await access.clear();
  await clearPostmasterFile(cluster);

  const settings = { ...DURABLE, ...MODEST, ...QUIET, ...access.settings };
  const server = await startServer({ binaries, cluster, account, settings, log });
  let stopping: Promise<void> | undefined;
  const died = new Promise<string>((resolve) => {
    void server.ended.then((how) => {
      if (stopping !== undefined) return;
      resolve(`The embedded PostgreSQL ended on its own (${how}).\n${server.lastLines()}`);
    });
  });
  async function stop(): Promise<void> {
    stopping ??= server.stop().then(() => access.close());
    return stopping;
  }

  try {
    await ensureDatabase(access.connection);
  } catch (error) {
    await stop();
    throw error;
  }
  return { connection: access.connection, notes, stop, died };
}

/** Starts the server and waits until it takes connections, however long recovery after a crash takes. */
async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const deadline = performance.now() + RELEASE_LIMIT_MS;
  for (;;) {
    const server = spawnServer(options);
    const failure = await Promise.race([
      waitUntilReady(server, options),
      server.unstartable,
      server.ended.then((how) => `it ended with ${how}`),
    ]);
    if (failure === undefined) return server;

    const lines = server.lastLines();
    await server.stop();
    // The helpers of a killed server need a moment to notice and let go of their shared memory.
    const isHeld = lines.includes("pre-existing shared memory block");
    if (!isHeld || performance.now() > deadline) {
      throw new EmbeddedPostgresError(
        `The embedded PostgreSQL in ${options.cluster} did not start: ${failure}.\n${lines}`,
      );
    }
    await wait(100);
  }
}

/** Reads the server's own file rather than knocking: each early knock would be a line in the log. */
async function waitUntilReady(server: ServerProcess, options: ServerOptions): Promise<string | undefined> {
  const deadline = performance.now() + START_LIMIT_MS;
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  void Promise.race([server.ended, server.unstartable]).then(over, over);
  let patienceEnd = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline && !isOver) {
    if (performance.now() > patienceEnd) {
      options.log("PostgreSQL is not ready yet; after a crash it first recovers what was committed.");
      patienceEnd += PATIENCE_MS;
    }
    const file = await readPostmasterFile(options.cluster);
    if (file?.isReady === true && file.pid === server.pid) return undefined;
    await wait(POLL_MS);
  }
  return `it was not ready after ${START_LIMIT_MS / 60_000} minutes`;
}

async function ensureDatabase(connection: Connection): Promise<void> {
  const client = new Client({
    ...connection,
    database: "postgres",
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  // A connection that breaks rejects the query under way; the event would only end the process.
  client.on("error", () => undefined);
  await client.connect();
  try {
    const found = await client.query("SELECT FROM pg_database WHERE datname = $1", [connection.database]);
    if (found.rowCount === 0)
      await client.query(`CREATE DATABASE ${client.escapeIdentifier(connection.database)}`);
  } finally {
    await client.end();
  }
}
