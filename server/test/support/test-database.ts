import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { isInMemory } from "./memory-folder.ts";
import { MIGRATED } from "./migrated-template.ts";

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
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase("template1");
}

/** The same with the schema in it, copied: migrating for every service takes longer than most tests. */
export function createMigratedDatabase(): Promise<TestDatabase> {
  return createDatabase(MIGRATED);
}

/** A copy of a database that nothing is connected to any more, for services that all begin with the same rows. */
export function copyTestDatabase({ address }: TestDatabase): Promise<TestDatabase> {
  return createDatabase(address.database);
}

async function createDatabase(template: string): Promise<TestDatabase> {
  const server = inject("postgres");
  const database = `test_${randomBytes(8).toString("hex")}`;
  // To copy files takes a third of the computing time of the log, but on a disk it waits for two checkpoints.
  const strategy = isInMemory() ? "FILE_COPY" : "WAL_LOG";
  await administer(server, `CREATE DATABASE ${database} TEMPLATE ${template} STRATEGY ${strategy}`);
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
