import { readdir, readFile } from "node:fs/promises";
import { StartupError } from "@trunkline/core/fault.ts";
import type { Database, Queryable } from "./database/database.ts";
import type { Row } from "./database/rows.ts";

/** The number of an advisory lock: of two instances that start at once, one migrates. */
const MIGRATION_LOCK = 7_215_733_001;

const MIGRATIONS = new URL("./migrations/", import.meta.url);

/** Brings the schema up to date. Refuses a database that a newer version has already changed. */
export async function migrate(database: Database, folder: URL = MIGRATIONS): Promise<void> {
  await applyMigrations(database, folder, await listMigrations(folder));
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

async function applyTo(connection: Queryable, folder: URL, files: readonly string[]): Promise<void> {
  await connection.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
  await connection.query(
    "CREATE TABLE IF NOT EXISTS schema_migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())",
  );
  const done = await readApplied(connection);
  throwIfNewer(done, files);
  for (const file of files) {
    if (done.has(versionOf(file))) continue;
    await connection.query(await readFile(new URL(file, folder), "utf8"));
    await connection.query("INSERT INTO schema_migrations (version, name) VALUES ($1, $2)", [versionOf(file), file]);
  }
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
  const found = await database.query<{ is_there: boolean }>(
    "SELECT to_regclass('schema_migrations') IS NOT NULL AS is_there",
  );
  return found[0]?.is_there === true;
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
