import type { DatabaseAddress } from "../../src/store/database/database.ts";
import { openDatabase } from "../../src/store/database/database.ts";
import { migrate } from "../../src/store/migrate.ts";

/** The database that the others of a run are copied from. Nobody may be connected to it. */
export const MIGRATED = "migrated";

/** Makes that database: by the migrations themselves, once a run. */
export async function makeMigratedTemplate(server: DatabaseAddress): Promise<void> {
  const house = openDatabase(server, () => undefined, { connections: 1 });
  await house.query(`CREATE DATABASE ${MIGRATED}`);
  await house.close();
  const template = openDatabase({ ...server, database: MIGRATED }, () => undefined, { connections: 1 });
  await migrate(template);
  await template.close();
}
