import type pg from "pg";
import { type Database, type Queryable, startHeartbeat } from "./database.ts";

/** What instances tell each other. */
export interface ChangeListener {
  /** A key or an account may be other than remembered. */
  onKeys(): void;
  /** A model may be other than remembered. */
  onModels(): void;
  /** A setting of the service may be other than remembered. */
  onSettings(): void;
  /** An account dropped all that its cache kept; undefined: anyone may have. */
  onCacheDropped(accountId?: string): void;
  /** An instance, `by` its id, took an endpoint out or let it come back; undefined: any may have. */
  onEndpoint(notice?: { readonly modelId: string; readonly by: string }): void;
  /** Outcomes were learnt from. */
  onOutcomes(): void;
  /** An instance lacks money that this one may have to spare. */
  onRecall(recall: RecallNotice): void;
}

/** An instance, `by` its id, lacks some of an account's balance or of a key's budget. */
export interface RecallNotice {
  readonly kind: "balance" | "budget";
  readonly id: string;
  readonly by: string;
}

const CHANNEL = "trunkline_changes";
const RECONNECT_MS = 500;
/** A notice can be lost all the same: everything cached is reloaded this often. */
const POLL_MS = 30_000;

/** Asks the other instances to give back what they can spare. */
export async function announceRecall(connection: Queryable, { kind, id, by }: RecallNotice): Promise<void> {
  await connection.query("SELECT pg_notify($1, $2)", [CHANNEL, `recall ${kind} ${id} ${by}`]);
}

/** Tells the other instances that an account's cache was dropped, once that is so. */
export async function announceCacheDropped(connection: Queryable, accountId: string): Promise<void> {
  await connection.query("SELECT pg_notify($1, $2)", [CHANNEL, `cache ${accountId}`]);
}

/** Tells the other instances that endpoints were taken out or come back. */
export async function announceEndpoints(connection: Queryable, modelIds: readonly string[], by: string): Promise<void> {
  await connection.query("SELECT pg_notify($1, 'endpoint ' || id || ' ' || $3) FROM unnest($2::text[]) AS id", [
    CHANNEL,
    modelIds,
    by,
  ]);
}

/** Tells the other instances that there is something to learn, once that is so. */
export async function announceOutcomes(connection: Queryable): Promise<void> {
  await connection.query("SELECT pg_notify($1, 'lessons')", [CHANNEL]);
}

/** Listens for what any instance tells. After every (re)connect all copies are stale by definition. */
export async function listenForChanges(
  database: Database,
  listener: ChangeListener,
): Promise<{ stop(): Promise<void> }> {
  let connection: pg.Client | undefined;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  const everything = () => {
    listener.onKeys();
    listener.onModels();
    listener.onSettings();
    listener.onCacheDropped();
    listener.onEndpoint();
    listener.onOutcomes();
  };
  const listen = async () => {
    const client = await database.connect("listener");
    if (stopped) return client.end();
    connection = client;
    client.on("notification", ({ payload }) => dispatch(listener, payload ?? ""));
    const pulse = startHeartbeat(client);
    client.on("end", () => {
      clearInterval(pulse);
      if (stopped) return;
      everything();
      reconnectLater();
    });
    await client.query(`LISTEN ${CHANNEL}`);
    everything();
  };
  const reconnectLater = () => {
    clearTimeout(retry);
    retry = setTimeout(() => void listen().catch(stayAway), RECONNECT_MS);
  };
  const stayAway = () => {
    if (stopped) return;
    // No key may be believed without asking. The models wait: a store that is away can't be asked for them.
    listener.onKeys();
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

function dispatch(listener: ChangeListener, payload: string): void {
  if (payload === "keys") listener.onKeys();
  if (payload === "models") listener.onModels();
  if (payload === "settings") listener.onSettings();
  if (payload === "lessons") listener.onOutcomes();
  const [word, kind, id, by] = payload.split(" ");
  if (word === "cache") listener.onCacheDropped(kind);
  if (word === "endpoint" && kind !== undefined && id !== undefined) listener.onEndpoint({ modelId: kind, by: id });
  if (word !== "recall" || (kind !== "balance" && kind !== "budget")) return;
  if (id !== undefined && by !== undefined) listener.onRecall({ kind, id, by });
}
