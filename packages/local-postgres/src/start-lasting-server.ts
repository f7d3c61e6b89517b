import { createMessageThrottle } from "@trunkline/core/message-throttle.ts";
import type { ServerAddress } from "./access.ts";
import type { Binaries } from "./binaries.ts";
import type { Account } from "./find-barrier.ts";
import { superviseServer } from "./keep-running.ts";
import { createBinariesResolver } from "./kept-programs.ts";
import { readMajorVersion } from "./make-cluster.ts";
import { removeStalePostmasterFile } from "./orphaned-server.ts";
import { startServer } from "./start-server.ts";

/** Starts the server on a cluster, and again at the same place whenever it ends on its own. */
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
    // A folder that is gone or half there would be explained by the server in words that mislead.
    await readMajorVersion(cluster);
    // Until it runs, what it says is in the error of a start that fails: it would be said at every attempt.
    let isRunning = false;
    const server = await start((line) => {
      if (isRunning) repeat(line);
    }, signal);
    isRunning = true;
    return server;
  }

  return superviseServer(await start(repeat), startAgain, log);
}
