import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { migrate } from "../migrate.ts";
import { copyDatabase } from "./copy-database.ts";
import { type Database, openDatabase } from "./database.ts";

let tests: readonly [TestDatabase, TestDatabase];
let [source, target]: Database[] = [];
let folder: string;
beforeEach(async () => {
  tests = [await createTestDatabase(), await createTestDatabase()];
  [source, target] = tests.map(({ address }) => openDatabase(address, () => undefined));
  folder = await mkdtemp("/tmp/trunkline-trial-");
  // The server writes here, which as root is another user.
  await chmod(folder, 0o777);
});
afterEach(async () => {
  await Promise.all([source?.close(), target?.close()]);
  await Promise.all(tests.map((test) => test.drop()));
  await rm(folder, { recursive: true, force: true });
});

const copy = () => copyDatabase(tests[0].address, tests[1].address, folder, () => undefined);

/** Only the first migration, as an older version of the service had it. */
async function migrateToFirst(database: Database | undefined): Promise<void> {
  const name = "0001-first-schema.sql";
  const path = await mkdtemp(join(folder, "migrations-"));
  await writeFile(
    join(path, name),
    await readFile(new URL(`../migrations/${name}`, import.meta.url), "utf8"),
  );
  if (database !== undefined) await migrate(database, pathToFileURL(`${path}/`));
  await rm(path, { recursive: true });
}

describe("copyDatabase", () => {
  it("makes the very schema of the source, with its rows and no others, and leaves no file behind", async () => {
    await migrateToFirst(source);
    await source?.query("UPDATE ledger_accounts SET balance = -5");
    await source?.query("INSERT INTO settings VALUES ('colour', '\"blue\"')");
    await copy();
    for (const table of ["schema_migrations", "ledger_accounts", "settings", "ledger_accounts_id_seq"]) {
      const rows = await target?.query(`SELECT * FROM ${table}`);
      expect(rows?.map((row) => ({ ...row, log_cnt: 0 }))).toEqual(
        (await source?.query(`SELECT * FROM ${table}`))?.map((row) => ({ ...row, log_cnt: 0 })),
      );
    }
    expect(await target?.query("SELECT to_regclass('ledger_seals') AS seals")).toEqual([{ seals: null }]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("copies nothing of a source where no service has started yet", async () => {
    await copy();
    expect(await target?.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });

  it("refuses a source of a newer version of the service", async () => {
    if (source !== undefined) await migrate(source);
    await source?.query("INSERT INTO schema_migrations VALUES (9999, 'the-future')");
    await expect(copy()).rejects.toThrow(/newer version of Trunkline/);
  });

  it("refuses a source that has more or less than our migrations make, which would be lost", async () => {
    await migrateToFirst(source);
    for (const [change, undo, named] of [
      ["CREATE TABLE mine (id int)", "DROP TABLE mine", "public.mine"],
      ["CREATE VIEW mine AS SELECT 1 AS one", "DROP VIEW mine", "public.mine"],
      [
        "ALTER TABLE settings ADD COLUMN mine int",
        "ALTER TABLE settings DROP COLUMN mine",
        "public.settings",
      ],
      [
        "ALTER TABLE requests ALTER COLUMN status TYPE bigint",
        "ALTER TABLE requests ALTER COLUMN status TYPE integer",
        "public.requests",
      ],
      ["DROP TABLE provider_reports", "SELECT 1", "what is missing"],
    ] as const) {
      await source?.query(change);
      await expect(copy(), change).rejects.toThrow(`(look at ${named})`);
      await source?.query(undo);
    }
  });

  it("notices a row that does not arrive as it was", async () => {
    await migrateToFirst(source);
    await target?.query(
      `CREATE TABLE schema_migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
       CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.name = NEW.name || ' '; RETURN NEW; END $$;
       CREATE TRIGGER spoil BEFORE INSERT ON schema_migrations FOR EACH ROW EXECUTE FUNCTION spoil();
       ALTER TABLE schema_migrations ENABLE ALWAYS TRIGGER spoil`,
    );
    await expect(copy()).rejects.toThrow("the rows of public.schema_migrations did not arrive as they were");
  });
});
