import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { rowTypesOf } from "../../../../scripts/row-types.ts";
import { createMigratedDatabase } from "../../../test/support/test-database.ts";
import { openDatabase } from "./database.ts";

it("has the rows of the migrated schema: run `npm run generate:rows` after adding a migration", async () => {
  const migrated = await createMigratedDatabase();
  const database = openDatabase(migrated.address, () => undefined, { connections: 1 });
  try {
    expect(readFileSync(new URL("./rows.ts", import.meta.url), "utf8")).toBe(await rowTypesOf(database));
  } finally {
    await database.close();
    await migrated.drop();
  }
});
