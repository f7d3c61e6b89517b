import { setTimeout as wait } from "node:timers/promises";
import { createMessageThrottle } from "@trunkline/core/message-throttle.ts";
import type { Binaries } from "./binaries.ts";
import { readMajorVersion } from "./cluster.ts";
import type { ServerAddress } from "./connection.ts";
import type { Account } from "./file-system.ts";
import { createBinariesResolver } from "./locate-binaries.ts";
import { removeStalePostmasterFile } from "./orphaned-server.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

/** Starts the server on a cluster, and restarts it at the same address when it ends unexpectedly. */
export async function startSupervisedServer(options: {
  readonly home: string;
  readonly cluster: string;
  readonly account: Account | undefined;
  readonly binaries: Binaries;
  readonly serverAddress: ServerAddress;
  readonly log: (line: string) => void;
}): Promise<{ stop(): Promise<void> }> {
  const { home, cluster, account, serverAddress, log } = options;
  const { settings } = serverAddress;
  const findPrograms = await createBinariesResolver(home, options.binaries);
  const isNews = createMessageThrottle();
  const repeat = (line: string) => {
    if (isNews(line)) log(line);
  };

  async function start(say: (line: string) => void, signal?: AbortSignal) {
    await serverAddress.removeStale();
    await removeStalePostmasterFile(cluster);
    const binaries = await findPrograms();
    return startServer({ binaries, cluster, account, settings, log: say }, signal);
  }

  async function startAgain(signal: AbortSignal) {
    // The server's own message about a missing or incomplete folder is misleading.
    await readMajorVersion(cluster);
    // Until it runs, its output is part of the error of a failed start. Logging it would repeat it at every attempt.
    let isRunning = false;
    const server = await start((line) => {
      if (isRunning) repeat(line);
    }, signal);
    isRunning = true;
    return server;
  }

  return superviseServer(await start(repeat), startAgain, log);
}

const FIRST_PAUSE_MS = 100;
const PAUSE_MS_MAX = 2_000;
/** A server that ran this long counts as recovered: its next end is logged again. */
const STABLE_AFTER_MS = 10_000;

/**
 * Restarts the server when it ends without being stopped, without a limit of attempts: the cause of a failed start, such
 * as a full disk, may go away at any time.
 */
export function superviseServer(
  first: ServerProcess,
  startAgain: (signal: AbortSignal) => Promise<ServerProcess>,
  log: (line: string) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let server = first;
  const watching = watch();

  async function watch(): Promise<void> {
    let isNews = createMessageThrottle();
    const say = (line: string) => {
      if (isNews(line)) log(line);
    };
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const startedAt = performance.now();
      const how = await server.ended;
      if (signal.aborted) return;
      if (performance.now() - startedAt > STABLE_AFTER_MS) {
        isNews = createMessageThrottle();
        pauseMs = FIRST_PAUSE_MS;
      }
      say(`The embedded PostgreSQL ended on its own (${how}). It is started again.`);
      for (let isBack = false; !isBack; ) {
        await wait(pauseMs, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
        pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX);
        try {
          server = await startAgain(signal);
          isBack = true;
          // It may be ready in the same moment in which it is stopped.
          if (signal.aborted) await server.stop();
          else say("The embedded PostgreSQL is back.");
        } catch (error) {
          if (!signal.aborted) say(`The embedded PostgreSQL is still away: ${lastErrorLine(error)}`);
        }
      }
    }
  }

  return {
    async stop() {
      stopping.abort();
      await server.stop();
      await watching;
    },
  };
}

/** One line: the server's last error, or the thrown error's message. */
function lastErrorLine(error: unknown): string {
  const [first = "", ...output] = (error instanceof Error ? error.message : String(error)).split("\n");
  // The answer to a connection that came too early is not the reason.
  return (
    output.findLast((line) => /^(FATAL|PANIC): (?! *the database system is )/.test(line)) ??
    (output.join(" ").trim() || first)
  );
}
