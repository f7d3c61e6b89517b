import { openDatabase } from "../../src/store/database/database.ts";
import type { DatabaseAddress } from "../../src/store/database/servers.ts";
import { migrate } from "../../src/store/migrate.ts";

/** The database that the others of a run are copied from. No connection to it may be open. */
export const MIGRATED = "migrated";

/** Creates that database by the migrations themselves, once per run. */
export async function makeMigratedTemplate(server: DatabaseAddress): Promise<void> {
  const maintenance = openDatabase(server, () => undefined, { connections: 1 });
  await maintenance.query(`CREATE DATABASE ${MIGRATED}`);
  await maintenance.close();
  const template = openDatabase({ ...server, database: MIGRATED }, () => undefined, { connections: 1 });
  await migrate(template);
  await template.close();
}
