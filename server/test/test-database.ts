import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

export interface TestDatabase {
  readonly address: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  /** For a service started as a process of its own. */
  readonly url: string;
  drop(): Promise<void>;
}

/** A fresh, empty database in the run's PostgreSQL. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject("postgres");
  const database = `test_${randomBytes(8).toString("hex")}`;
  await administer(server, `CREATE DATABASE ${database}`);
  return {
    address: { ...server, database },
    url: `postgres://${server.user}@localhost:${server.port}/${database}?host=${encodeURIComponent(server.host)}`,
    drop: () => administer(server, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`),
  };
}

async function administer(server: pg.ClientConfig, statement: string): Promise<void> {
  const client = new pg.Client(server);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
