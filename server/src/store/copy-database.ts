import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Connection } from "@trunkline/local-postgres/connection.ts";
import type { Client } from "pg";
import { type Database, openDatabase } from "./database/database.ts";
import { migrateToMatch } from "./migrate.ts";

/** Both servers must write values as the same text, whatever their settings are. */
export const TEXT_FORMAT_SETTINGS = `SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'; SET intervalstyle = 'iso_8601';
  SET extra_float_digits = 3; SET bytea_output = 'hex'; SET search_path = public; SET statement_timeout = 0`;

/**
 * Copies everything from one server's database to an empty one of another server, and compares. The schema is made by our
 * own migrations; the rows go through files in `folder`, which both servers can write to.
 */
export async function copyDatabase(
  from: Connection,
  to: Connection,
  folder: string,
  onTable: (done: number, of: number) => void,
): Promise<void> {
  const [source, target] = [from, to].map((address) => openDatabase(address, () => undefined)) as [Database, Database];
  try {
    await migrateToMatch(source, target);
    const [reader, writer] = [await source.connect("upgrade"), await target.connect("upgrade")];
    try {
      await copyRows(reader, writer, folder, onTable);
    } finally {
      await Promise.all([reader.end(), writer.end()]);
    }
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

async function copyRows(
  reader: Client,
  writer: Client,
  folder: string,
  onTable: (done: number, of: number) => void,
): Promise<void> {
  await reader.query(TEXT_FORMAT_SETTINGS);
  // Triggers and foreign keys are off: the rows have passed them once.
  await writer.query(`${TEXT_FORMAT_SETTINGS}; SET session_replication_role = replica`);
  const [tables, sequences] = await requireSameSchema(reader, writer);
  if (tables.length > 0) await writer.query(`TRUNCATE ${tables.map(({ name }) => name).join(", ")}`);
  for (const [index, { name, columns }] of tables.entries()) {
    const file = join(folder, String(index));
    const rows = `${name} (${columns})`;
    await reader.query(`COPY (SELECT ${columns} FROM ${name}) TO ${reader.escapeLiteral(file)} (ENCODING 'UTF8')`);
    await writer.query(`COPY ${rows} FROM ${writer.escapeLiteral(file)} (ENCODING 'UTF8')`);
    await rm(file);
    await requireSameRows(reader, writer, name);
    onTable(index + 1, tables.length);
  }
  for (const sequence of sequences) {
    const { rows } = await reader.query(`SELECT last_value, is_called FROM ${sequence}`);
    const [{ last_value: last, is_called: isCalled }] = rows;
    await writer.query("SELECT setval($1, $2, $3)", [sequence, last, isCalled]);
  }
  await writer.query("ANALYZE");
}

interface Table {
  readonly name: string;
  /** Without generated columns. */
  readonly columns: string;
}

/**
 * All tables, views and sequences, in a stable order, with their columns. A table in partitions is one table: each database has
 * those of its own months.
 */
export const RELATIONS = `
SELECT format('%I.%I', n.nspname, c.relname) AS name, CASE c.relkind WHEN 'p' THEN 'r' ELSE c.relkind::text END AS kind,
  string_agg(format('%I', a.attname), ', ' ORDER BY a.attnum) FILTER (WHERE a.attgenerated = '') AS columns,
  string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum) AS shape
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p', 'f', 'm', 'v', 'S') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND NOT c.relispartition
GROUP BY 1, 2 ORDER BY 1`;

export interface Relation extends Table {
  readonly kind: string;
  readonly shape: string;
}

/** Fails where the schema has something that our migrations do not make: it must not be left behind silently. */
async function requireSameSchema(reader: Client, writer: Client): Promise<[Table[], string[]]> {
  const { rows: old } = await reader.query<Relation>(RELATIONS);
  const { rows: made } = await writer.query<Relation>(RELATIONS);
  requireSameRelations(old, made);
  return [old.filter(({ kind }) => kind === "r"), old.filter(({ kind }) => kind === "S").map(({ name }) => name)];
}

type RelationShape = Pick<Relation, "name" | "kind" | "shape">;

export function requireSameRelations(old: readonly RelationShape[], made: readonly RelationShape[]): void {
  const describe = ({ name, kind, shape }: RelationShape) => `${kind} ${name} (${shape})`;
  const known = new Set(made.map(describe));
  const strange = old.filter((relation) => !known.has(describe(relation))).map(({ name }) => name);
  if (strange.length > 0 || old.length !== made.length) {
    throw new Error(
      `the tables are not those that Trunkline made (look at ${strange.join(", ") || "what is missing"})`,
    );
  }
}

/** A digest of all rows as text, the same in every version of PostgreSQL. The sum does not depend on their order. */
const contentOf = (table: string) => `
SELECT count(*)::text || ' rows, ' || coalesce(sum(
  ('x' || encode(substr(sha256(convert_to((r.*)::text, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint), 0)::text AS content
FROM ${table} AS r`;

async function requireSameRows(reader: Client, writer: Client, table: string): Promise<void> {
  const [old, copy] = await Promise.all(
    [reader, writer].map((client) => client.query<{ content: string }>(contentOf(table))),
  );
  if (old?.rows[0]?.content === undefined || old.rows[0].content !== copy?.rows[0]?.content) {
    throw new Error(`the rows of ${table} did not arrive as they were`);
  }
}
