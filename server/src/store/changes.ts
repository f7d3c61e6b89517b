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
    if (stopped) return client.end();
    connection = client;
    client.on("notification", (notice) => {
      if (notice.payload === "keys" || notice.payload === "models") onChange(notice.payload);
    });
    client.on("end", () => {
      if (stopped) return;
      everything();
      reconnectLater();
    });
    await client.query("LISTEN trunkline_changes");
    everything();
  };
  const reconnectLater = () => {
    clearTimeout(retry);
    retry = setTimeout(() => void listen().catch(stayAway), RECONNECT_MS);
  };
  const stayAway = () => {
    if (stopped) return;
    // No key may be believed without asking. The models wait: a store that is away can't be asked for them.
    onChange("keys");
    reconnectLater();
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
