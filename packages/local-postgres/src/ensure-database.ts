import { Client } from "pg";
import type { Connection } from "./access.ts";

const CONNECT_LIMIT_MS = 30_000;

/** Makes the database in a cluster that does not have it yet. */
export async function ensureDatabase(connection: Connection): Promise<void> {
  await withAdminClient(connection, async (client) => {
    if (await hasDatabase(client, connection.database)) return;
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(connection.database)}`);
  });
}

/** Whether a cluster has the database, or was left by a first start that was cut short. */
export function databaseExists(connection: Connection): Promise<boolean> {
  return withAdminClient(connection, (client) => hasDatabase(client, connection.database));
}

async function hasDatabase(client: Client, name: string): Promise<boolean> {
  const found = await client.query("SELECT FROM pg_database WHERE datname = $1", [name]);
  return found.rowCount === 1;
}

async function withAdminClient<Result>(
  connection: Connection,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({
    ...connection,
    database: "postgres",
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  // A connection that breaks rejects the query under way; the event would only end the process.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
