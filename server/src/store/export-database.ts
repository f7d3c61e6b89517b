import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { Client } from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { RELATIONS, type Relation, requireSameRelations, TEXT_FORMAT_SETTINGS } from "./copy-database.ts";
import type { Database, Queryable } from "./database/database.ts";
import { appliedMigrations, migrateToVersions } from "./migrate.ts";

/** The rows of a table in a file, as COPY writes them. */
export interface ExportedTable {
  readonly name: string;
  readonly columns: string;
  readonly rows: number;
  /** Its place in the export; the file itself is compressed. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** All rows as of one moment, and what is needed to make the tables again. */
export interface DatabaseExport {
  readonly exportedAt: Date;
  readonly migrations: readonly number[];
  readonly relations: readonly Pick<Relation, "name" | "kind" | "shape">[];
  readonly tables: readonly ExportedTable[];
  readonly sequences: readonly { readonly name: string; readonly last: string; readonly isCalled: boolean }[];
}

/** How much disk the database takes, indexes included. */
export async function databaseBytes(database: Queryable): Promise<number> {
  const [row] = await database.query<{ bytes: bigint }>("SELECT pg_database_size(current_database()) AS bytes");
  return Number(row?.bytes ?? 0n);
}

/** Writes all rows as of one moment to compressed files in a folder. Blocks no other transaction. */
export async function exportDatabase(database: Database, folder: string): Promise<DatabaseExport> {
  const client = await database.connect("backup");
  try {
    await client.query(TEXT_FORMAT_SETTINGS);
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    const moment = await client.query<{ time: Date }>("SELECT clock_timestamp() AS time");
    const migrations = await appliedMigrations(queryableOf(client));
    if (migrations.length === 0) throw new Error("The database holds no data of Trunkline.");
    const { rows: relations } = await client.query<Relation>(RELATIONS);
    // What no migration made would be missing after a restore. Its owner must know before that.
    const strange = relations.filter(({ kind }) => kind !== "r" && kind !== "S").map(({ name }) => name);
    if (strange.length > 0) throw new Error(`The database has what Trunkline did not make: ${strange.join(", ")}.`);
    const tables: ExportedTable[] = [];
    for (const { name, columns } of relations.filter(({ kind }) => kind === "r")) {
      tables.push(
        await exportTable(client, folder, `${tables.length}-${name.replaceAll(/[^a-z0-9_]+/gi, "-")}`, name, columns),
      );
    }
    const sequences: { name: string; last: string; isCalled: boolean }[] = [];
    for (const { name } of relations.filter(({ kind }) => kind === "S")) {
      const { rows } = await client.query(`SELECT last_value::text AS last, is_called FROM ${name}`);
      sequences.push({ name, last: rows[0].last, isCalled: rows[0].is_called });
    }
    await client.query("COMMIT");
    return {
      exportedAt: moment.rows[0]?.time ?? new Date(),
      migrations,
      relations: relations.map(({ name, kind, shape }) => ({ name, kind, shape })),
      tables,
      sequences,
    };
  } finally {
    await client.end();
  }
}

async function exportTable(
  client: Client,
  folder: string,
  path: string,
  name: string,
  columns: string,
): Promise<ExportedTable> {
  const rows = client.query(copyTo(`COPY (SELECT ${columns} FROM ${name}) TO STDOUT (ENCODING 'UTF8')`));
  const hash = createHash("sha256");
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const file = createWriteStream(join(folder, `${path}.gz`), { flags: "wx", mode: 0o600, flush: true });
  await pipeline(rows, count, createGzip({ level: 1 }), file);
  return { name, columns, rows: rows.rowCount, path, bytes, sha256: hash.digest("hex") };
}

/** Refuses a database in which there is anything. */
export async function requireEmptyDatabase(database: Queryable): Promise<void> {
  const found = await database.query<{ name: string }>(RELATIONS);
  if (found.length === 0) return;
  const [first] = found;
  throw new Error(
    `The database is not empty (it has ${first?.name}). Restore into a new one, made with CREATE DATABASE. Nothing was changed.`,
  );
}

/** Brings an export into an empty database, in one transaction. The user needs no rights but to create tables. */
export async function importDatabase(database: Database, folder: string, exported: DatabaseExport): Promise<void> {
  const client = await database.connect("restore");
  const connection = queryableOf(client);
  try {
    await client.query(TEXT_FORMAT_SETTINGS);
    await client.query("BEGIN");
    await requireEmptyDatabase(connection);
    await migrateToVersions(connection, exported.migrations);
    const { rows: made } = await client.query<Relation>(RELATIONS);
    requireSameRelations(exported.relations, made);
    // The rows have passed triggers and foreign keys once. Foreign keys are made again at the end, over all rows.
    const { rows: foreignKeys } = await client.query<{ table: string; name: string; definition: string }>(FOREIGN_KEYS);
    for (const { table, name } of foreignKeys) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
    for (const { name } of exported.tables) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
    await client.query(`TRUNCATE ${exported.tables.map(({ name }) => name).join(", ")}`);
    for (const table of exported.tables) await importTable(client, folder, table);
    for (const { name, last, isCalled } of exported.sequences) {
      await client.query("SELECT setval($1, $2, $3)", [name, last, isCalled]);
    }
    for (const { name } of exported.tables) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
    for (const { table, name, definition } of foreignKeys) {
      await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
    }
    await client.query("COMMIT");
    await client.query("ANALYZE");
  } finally {
    await client.end();
  }
}

async function importTable(client: Client, folder: string, table: ExportedTable): Promise<void> {
  const rows = client.query(copyFrom(`COPY ${table.name} (${table.columns}) FROM STDIN (ENCODING 'UTF8')`));
  await pipeline(createReadStream(join(folder, `${table.path}.gz`)), createGunzip(), rows);
  if (rows.rowCount === table.rows) return;
  throw new Error(`${rows.rowCount} of ${table.rows} rows of ${table.name} arrived`);
}

const FOREIGN_KEYS = `SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
  FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace ORDER BY 1, 2`;

/** One connection as the store's functions take it. */
function queryableOf(client: Client): Queryable {
  return { query: async (text, values = []) => (await client.query(text, [...values])).rows };
}
