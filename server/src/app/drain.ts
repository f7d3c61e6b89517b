import type { Server } from "node:http";

/** How long those who were broken off have to go. Whoever reads nothing of what it was sent would stay for ever. */
const LAST_CALL_MS = 1_000;
const SWEEP_MS = 50;

/** What has to end before a house can be closed. */
interface DrainTarget {
  readonly config: { readonly limits: { readonly drainMs: number } };
  readonly inFlight: Iterable<AbortController>;
  readonly prober: { stop(): Promise<void> };
}

/** Stops accepting, lets what runs finish, and breaks off what takes too long: its money is settled all the same. */
export async function drain(
  { config, inFlight, prober }: DrainTarget,
  server: Pick<Server, "closeAllConnections" | "closeIdleConnections">,
  closeServer: () => Promise<void>,
): Promise<void> {
  const { drainMs } = config.limits;
  const breakOff = setTimeout(() => {
    for (const controller of inFlight) controller.abort(new Error("The service is stopping."));
  }, drainMs);
  const lastCall = setTimeout(() => server.closeAllConnections(), drainMs + LAST_CALL_MS);
  // A connection whose last answer comes now stays open for a next request that will not be served.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  // Nobody will ask for what a probe finds out now.
  await Promise.all([closeServer(), prober.stop()]);
  clearInterval(sweep);
  clearTimeout(breakOff);
  clearTimeout(lastCall);
}
