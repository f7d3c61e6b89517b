// Writes server/src/store/database/rows.ts, the types of the tables' rows, from the schema that the migrations make in a
// PostgreSQL of its own. Run it with `npm run generate:rows` after adding a migration.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import { openDatabase } from "../server/src/store/database/database.ts";
import { migrate } from "../server/src/store/migrate.ts";
import { rowTypesOf } from "./row-types.ts";

const dataDir = mkdtempSync(join(tmpdir(), "trunkline-rows-"));
// As root the server runs as another user, who must be able to pass through.
chmodSync(dataDir, 0o755);
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined }, { settings: { fsync: "off" } });
try {
  const database = openDatabase(postgres.connection, () => undefined, { connections: 1 });
  await migrate(database);
  writeFileSync(new URL("../server/src/store/database/rows.ts", import.meta.url), await rowTypesOf(database));
  await database.close();
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
