import type pg from "pg";
import { type Database, type Queryable, startHeartbeat } from "./database.ts";

/** The changes that instances notify each other of. */
export interface ChangeListener {
  /** A key or an account may have changed. */
  onKeys(): void;
  /** No key is known to have changed, but a notice may have been lost. */
  onKeyCheck(): void;
  /** A model may have changed. */
  onModels(): void;
  /** A setting of the service may have changed. */
  onSettings(): void;
  /** An account emptied its cache; undefined: any account may have. */
  onCacheDropped(accountId?: string): void;
  /** The instance `by` took an endpoint out of service or back in; undefined: any may have. */
  onEndpoint(notice?: { readonly modelId: string; readonly by: string }): void;
  /** The outcome statistics have changed. */
  onOutcomes(): void;
  /** The service's certificate, or what an ACME server looks for, may have changed. */
  onCertificates(): void;
  /** An account may have been moved to another cluster. */
  onPlacements(): void;
  /** An instance lacks money that this one may be able to return. */
  onRecall(recall: RecallNotice): void;
}

/** The instance `by` lacks some of an account's balance, of a key's budget or of an account's. */
export interface RecallNotice {
  readonly kind: "balance" | "budget" | "account-budget";
  readonly id: string;
  readonly by: string;
}

const CHANNEL = "trunkline_changes";
const RECONNECT_MS = 500;
/** A notice can be lost: everything cached is reloaded this often. A cached key may be used for a second longer. */
const POLL_MS = 29_000;

/** Asks the other instances to return what they can spare. */
export async function announceRecall(connection: Queryable, { kind, id, by }: RecallNotice): Promise<void> {
  await connection.query("SELECT pg_notify($1, $2)", [CHANNEL, `recall ${kind} ${id} ${by}`]);
}

/** Notifies the other instances that an account's cache was emptied, when the transaction commits. */
export async function announceCacheDropped(connection: Queryable, accountId: string): Promise<void> {
  await connection.query("SELECT pg_notify($1, $2)", [CHANNEL, `cache ${accountId}`]);
}

/** Notifies the other instances that endpoints were taken out of service or back in. */
export async function announceEndpoints(connection: Queryable, modelIds: readonly string[], by: string): Promise<void> {
  await connection.query("SELECT pg_notify($1, 'endpoint ' || id || ' ' || $3) FROM unnest($2::text[]) AS id", [
    CHANNEL,
    modelIds,
    by,
  ]);
}

/** Notifies the other instances of new outcome statistics, when the transaction commits. */
export async function announceOutcomes(connection: Queryable): Promise<void> {
  await connection.query("SELECT pg_notify($1, 'lessons')", [CHANNEL]);
}

/** Notifies all instances of a new certificate or challenge, when the transaction commits. */
export async function announceCertificates(connection: Queryable): Promise<void> {
  await connection.query("SELECT pg_notify($1, 'certificates')", [CHANNEL]);
}

/** Listens for the changes of all instances. After every connect, anything may have changed. */
export async function listenForChanges(
  database: Database,
  listener: ChangeListener,
): Promise<{ stop(): Promise<void> }> {
  let connection: pg.Client | undefined;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  const notifyAll = () => {
    listener.onKeys();
    notifyOthers();
  };
  const notifyOthers = () => {
    listener.onModels();
    listener.onSettings();
    listener.onCacheDropped();
    listener.onEndpoint();
    listener.onOutcomes();
    listener.onCertificates();
    listener.onPlacements();
  };
  const check = () => {
    listener.onKeyCheck();
    notifyOthers();
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
      notifyAll();
      reconnectLater();
    });
    await client.query(`LISTEN ${CHANNEL}`);
    notifyAll();
  };
  const reconnectLater = () => {
    clearTimeout(retry);
    retry = setTimeout(() => void listen().catch(onConnectFailed), RECONNECT_MS);
  };
  const onConnectFailed = () => {
    if (stopped) return;
    // Cached keys may be revoked by now. Cached models stay: a store that is away can't be asked for them.
    listener.onKeys();
    reconnectLater();
  };
  await listen();
  const poll = setInterval(check, POLL_MS);
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
  if (payload === "certificates") listener.onCertificates();
  if (payload === "placements") listener.onPlacements();
  const [word, kind, id, by] = payload.split(" ");
  if (word === "cache") listener.onCacheDropped(kind);
  if (word === "endpoint" && kind !== undefined && id !== undefined) listener.onEndpoint({ modelId: kind, by: id });
  if (word !== "recall" || (kind !== "balance" && kind !== "budget" && kind !== "account-budget")) return;
  if (id !== undefined && by !== undefined) listener.onRecall({ kind, id, by });
}
