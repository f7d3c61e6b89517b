import type pg from "pg";
import type { Database } from "./database.ts";

/** What may have changed in the store, told to whoever keeps a copy in memory. */
export type Change = "keys" | "models";

const RECONNECT_MS = 500;
/** A notice can be lost with its connection: everything kept is looked at anew this often. */
const POLL_MS = 30_000;

/** Listens for changes that any instance makes. After every (re)connect all copies are stale by definition. */
export async function listenForChanges(
  database: Database,
  onChange: (change: Change) => void,
): Promise<{ stop(): Promise<void> }> {
  let connection: pg.Client | undefined;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  const everything = () => {
    onChange("keys");
    onChange("models");
  };
  const listen = async () => {
    const client = await database.connect();
    connection = client;
    client.on("notification", (notice) => {
      if (notice.payload === "keys" || notice.payload === "models") onChange(notice.payload);
    });
    client.on("end", reconnectLater);
    await client.query("LISTEN trunkline_changes");
    everything();
  };
  const reconnectLater = () => {
    if (stopped) return;
    everything();
    retry = setTimeout(() => void listen().catch(reconnectLater), RECONNECT_MS);
  };
  await listen();
  const poll = setInterval(everything, POLL_MS);
  poll.unref();
  return {
    async stop() {
      stopped = true;
      clearInterval(poll);
      clearTimeout(retry);
      await connection?.end();
    },
  };
}
