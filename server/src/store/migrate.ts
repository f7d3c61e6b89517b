import { readdir, readFile } from "node:fs/promises";
import { StartupError } from "@trunkline/core/fault.ts";
import type { Database, Queryable } from "./database/database.ts";
import type { Row } from "./database/rows.ts";
import { INSTANCE_LOCK_SPACE } from "./instances.ts";

/** The number of an advisory lock: of two instances that start at once, one migrates. */
const MIGRATION_LOCK = 7_215_733_001;

const MIGRATIONS = new URL("./migrations/", import.meta.url);

/**
 * Brings the schema up to date. Where a newer version has already changed it, this one runs beside that if every
 * migration that it does not know allows it, and is refused otherwise. A migration that older versions can't run with
 * is refused while such instances run.
 */
export async function migrate(database: Database, folder: URL = MIGRATIONS): Promise<void> {
  const files = await listMigrations(folder);
  await database.transaction(async (connection) => {
    const runsWith = await applyTo(connection, folder, files);
    // A copy of another database gets that one's.
    if (runsWith !== undefined) await saveRunsWith(connection, newestKnown(files), runsWith);
  });
}

/** Gives an empty database the same schema as another one, which may be an older version's, or none. */
export async function migrateToMatch(model: Database, database: Database, folder: URL = MIGRATIONS): Promise<void> {
  if (!(await isMigrated(model))) return;
  const files = await listMigrations(folder);
  const done = await readApplied(model);
  throwIfNewer(done, files);
  await applyMigrations(
    database,
    folder,
    files.filter((file) => done.has(versionOf(file))),
  );
}

/** Gives an empty database the schema of a back-up, in the transaction of `connection`. */
export async function migrateToVersions(connection: Queryable, versions: readonly number[]): Promise<void> {
  const files = await listMigrations(MIGRATIONS);
  const wanted = new Set(versions);
  throwIfNewer(wanted, files);
  const chosen = files.filter((file) => wanted.has(versionOf(file)));
  if (chosen.length < wanted.size) {
    throw new StartupError("The back-up is of a version of Trunkline with other tables. Restore it with that version.");
  }
  await applyTo(connection, MIGRATIONS, chosen);
}

/** The migrations that a database has seen, by number; none: it holds no data of Trunkline. */
export async function appliedMigrations(connection: Queryable): Promise<number[]> {
  if (!(await isMigrated(connection))) return [];
  return [...(await readApplied(connection))].toSorted((one, other) => one - other);
}

/** Refuses migrations that this version does not know. */
export async function requireKnownMigrations(versions: readonly number[]): Promise<void> {
  throwIfNewer(new Set(versions), await listMigrations(MIGRATIONS));
}

async function applyMigrations(database: Database, folder: URL, files: readonly string[]): Promise<void> {
  await database.transaction((connection) => applyTo(connection, folder, files));
}

/** Returns the oldest schema that can run with what was applied; undefined: nothing was. */
async function applyTo(connection: Queryable, folder: URL, files: readonly string[]): Promise<number | undefined> {
  await connection.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
  await connection.query(
    "CREATE TABLE IF NOT EXISTS schema_migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())",
  );
  const done = await readApplied(connection);
  if (newestApplied(done) > newestKnown(files)) {
    await requireRunsWith(connection, done, files);
    return undefined;
  }
  const pending = await Promise.all(
    files.filter((file) => !done.has(versionOf(file))).map((file) => readMigration(folder, file)),
  );
  const runsWith = Math.max(0, ...pending.map((migration) => migration.runsWith));
  if (runsWith > newestApplied(done)) await refuseRunningInstances(connection, runsWith);
  for (const { file, version, sql } of pending) {
    await connection.query(sql);
    await connection.query("INSERT INTO schema_migrations (version, name) VALUES ($1, $2)", [version, file]);
  }
  return pending.length === 0 ? undefined : runsWith;
}

interface Migration {
  readonly file: string;
  readonly version: number;
  readonly sql: string;
  /** The oldest schema that the code may know and still run with this one. */
  readonly runsWith: number;
}

/** What a migration says where versions that don't know it run beside it. Without it, none does. */
const RUNS_WITH = /^-- Versions from schema (\d+) on run with it\.$/m;

async function readMigration(folder: URL, file: string): Promise<Migration> {
  const sql = await readFile(new URL(file, folder), "utf8");
  const version = versionOf(file);
  const said = RUNS_WITH.exec(sql)?.[1];
  return { file, version, sql, runsWith: said === undefined ? version : Number(said) };
}

const RUNS_WITH_SETTING = "schema";

/** Beside the oldest schema, says of which one it was said: a schema that was changed without it allows nothing. */
async function saveRunsWith(connection: Queryable, schema: number, runsWith: number): Promise<void> {
  if (!(await hasTable(connection, "settings"))) return;
  const before = await readRunsWith(connection);
  const value = { schema, runs_with: Math.max(before?.runs_with ?? 0, runsWith) };
  await connection.query(
    "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value",
    [RUNS_WITH_SETTING, JSON.stringify(value)],
  );
}

async function readRunsWith(connection: Queryable) {
  const [row] = await connection.query<{ value: { readonly schema: number; readonly runs_with: number } }>(
    "SELECT value FROM settings WHERE name = $1",
    [RUNS_WITH_SETTING],
  );
  return row?.value;
}

/** Refuses to run with a schema whose newest migrations this version does not know and can't run with. */
async function requireRunsWith(
  connection: Queryable,
  done: ReadonlySet<number>,
  files: readonly string[],
): Promise<void> {
  const said = (await hasTable(connection, "settings")) ? await readRunsWith(connection) : undefined;
  if (said?.schema !== newestApplied(done) || said.runs_with > newestKnown(files)) throwIfNewer(done, files);
}

/** Old instances would read and write a schema that they can't. */
async function refuseRunningInstances(connection: Queryable, runsWith: number): Promise<void> {
  if (!(await hasTable(connection, "instances"))) return;
  // A lock that can be taken is that of an instance that has ended. It is free again at the end of the transaction.
  const [row] = await connection.query<{ running: bigint }>(
    "SELECT count(*) FILTER (WHERE NOT pg_try_advisory_xact_lock($1, lock_key::int)) AS running FROM instances",
    [INSTANCE_LOCK_SPACE],
  );
  const running = Number(row?.running ?? 0);
  if (running === 0) return;
  throw new StartupError(
    `This version changes the schema in a way that versions before schema ${runsWith} can't run with, and ${running} ${running === 1 ? "instance" : "instances"} of an older version run on this database. Stop them, then start this one.`,
  );
}

async function hasTable(connection: Queryable, name: string): Promise<boolean> {
  const [row] = await connection.query<{ is_there: boolean }>("SELECT to_regclass($1) IS NOT NULL AS is_there", [name]);
  return row?.is_there === true;
}

/** Refuses a schema of another version, for commands that only read. Changes nothing. */
export async function requireCurrentSchema(database: Database, folder: URL = MIGRATIONS): Promise<void> {
  const files = await listMigrations(folder);
  if (!(await isMigrated(database))) throw new StartupError("The database holds no data of Trunkline.");
  const done = await readApplied(database);
  throwIfNewer(done, files);
  if (files.every((file) => done.has(versionOf(file)))) return;
  throw new StartupError(
    `The database was last used by an older version of Trunkline (schema ${newestApplied(done)}, this one knows ${newestKnown(files)}). Start the service once; it brings the schema up to date.`,
  );
}

/** The newest migration that the database has seen, and the newest that this version knows; undefined: no data of Trunkline. */
export async function readSchemaVersions(
  database: Database,
  folder: URL = MIGRATIONS,
): Promise<{ readonly applied: number; readonly known: number } | undefined> {
  if (!(await isMigrated(database))) return undefined;
  return { applied: newestApplied(await readApplied(database)), known: newestKnown(await listMigrations(folder)) };
}

async function listMigrations(folder: URL): Promise<string[]> {
  return (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort();
}

async function isMigrated(database: Queryable): Promise<boolean> {
  return hasTable(database, "schema_migrations");
}

async function readApplied(connection: Queryable): Promise<Set<number>> {
  const applied = await connection.query<Row<"schema_migrations", "version">>("SELECT version FROM schema_migrations");
  return new Set(applied.map((row) => row.version));
}

function throwIfNewer(done: ReadonlySet<number>, files: readonly string[]): void {
  const [newest, known] = [newestApplied(done), newestKnown(files)];
  if (newest <= known) return;
  throw new StartupError(
    `The database was last used by a newer version of Trunkline (schema ${newest}, this one knows ${known}). Start that version, or restore a backup.`,
  );
}

function newestApplied(done: ReadonlySet<number>): number {
  return Math.max(0, ...done);
}

function newestKnown(files: readonly string[]): number {
  return versionOf(files.at(-1) ?? "");
}

function versionOf(file: string): number {
  return Number.parseInt(file, 10);
}
