import { type Database, openDatabase } from "../../src/store/database/database.ts";
import type { DatabaseAddress } from "../../src/store/database/servers.ts";
import { migrate } from "../../src/store/migrate.ts";

/** The database that the others of a run are copied from. No connection to it may be open. */
export const MIGRATED = "migrated";

/** Creates that database by the migrations themselves, once per run. */
export async function makeMigratedTemplate(server: DatabaseAddress): Promise<void> {
  const on = async (database: DatabaseAddress, work: (database: Database) => Promise<unknown>) => {
    const open = openDatabase(database, () => undefined, { connections: 1 });
    await work(open);
    await open.close();
  };
  await on(server, (maintenance) => maintenance.query(`CREATE DATABASE ${MIGRATED}`));
  const template = { ...server, database: MIGRATED };
  await on(template, async (database) => {
    await migrate(database);
    await packCatalogue(database);
  });
  // A new connection writes down what it learnt of the catalogue. Copies have that file, and their connections start from it.
  await on(template, (database) => database.query("SELECT 1"));
}

/** Removes what the migrations left in PostgreSQL's own tables: every copy would carry it, and tidy it up again. */
async function packCatalogue(database: Database): Promise<void> {
  const tables = await database.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r' AND NOT relisshared`,
  );
  for (const { name } of tables) await database.query(`VACUUM (FULL, FREEZE) ${name}`);
}
