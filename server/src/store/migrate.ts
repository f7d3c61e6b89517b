import { readdir, readFile } from "node:fs/promises";
import { Mistake } from "../kit/mistake.ts";
import type { Database } from "./database.ts";

/** Two instances that start at once must not both migrate: the lock's number is ours alone. */
const MIGRATION_LOCK = 7_215_733_001;

/** Brings the schema up to date. Refuses a database that a newer version has already changed. */
export async function migrate(
  database: Database,
  folder: URL = new URL("./migrations/", import.meta.url),
): Promise<void> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort();
  await database.transaction(async (connection) => {
    await connection.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await connection.query(
      "CREATE TABLE IF NOT EXISTS schema_migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())",
    );
    const applied = await connection.query<{ version: number }>("SELECT version FROM schema_migrations");
    const done = new Set(applied.map((row) => row.version));
    const newest = Math.max(0, ...done);
    const known = versionOf(files.at(-1) ?? "");
    if (newest > known) {
      throw new Mistake(
        `The database was last used by a newer version of Trunkline (schema ${newest}, this one knows ${known}). Start that version, or restore a backup.`,
      );
    }
    for (const file of files) {
      if (done.has(versionOf(file))) continue;
      await connection.query(await readFile(new URL(file, folder), "utf8"));
      await connection.query("INSERT INTO schema_migrations (version, name) VALUES ($1, $2)", [
        versionOf(file),
        file,
      ]);
    }
  });
}

function versionOf(file: string): number {
  return Number.parseInt(file, 10);
}
