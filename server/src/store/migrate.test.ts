import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { newId } from "@trunkline/core/id.ts";
import { FREE_PRICE } from "@trunkline/core/model.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.ts";
import { type Database, openDatabase } from "./database/database.ts";
import { Instance } from "./instances.ts";
import { auditLedger } from "./ledger/audit.ts";
import { grantCredits } from "./ledger/ledger.ts";
import { sealLedger } from "./ledger/seal-ledger.ts";
import { migrate } from "./migrate.ts";
import { readPrice } from "./models/price-versions.ts";

let test: TestDatabase;
let database: Database;
let path: string;

beforeEach(async () => {
  test = await createTestDatabase();
  database = openDatabase(test.address, () => undefined);
  path = await mkdtemp(join(tmpdir(), "migrations-"));
});
afterEach(async () => {
  await database.close();
  await test.drop();
  await rm(path, { recursive: true });
});

/** A folder with these migrations in it. */
async function folderWith(files: Readonly<Record<string, string>>): Promise<URL> {
  for (const [name, sql] of Object.entries(files)) await writeFile(join(path, name), sql);
  return pathToFileURL(`${path}/`);
}

const versions = () => database.query("SELECT version, name FROM schema_migrations ORDER BY version");
const tables = async () => {
  const rows = await database.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  );
  return rows.map(({ name }) => name).sort((one, other) => one.localeCompare(other));
};

describe("a migration", () => {
  it("makes the schema, and a second time changes nothing", async () => {
    await migrate(database);
    const [before, made] = [await versions(), await tables()];
    expect(made).toContain("ledger_transfers");
    await migrate(database);
    expect(await versions()).toEqual(before);
    expect(await tables()).toEqual(made);
  });

  it("happens once although several instances start at the same moment", async () => {
    const files = await readdir(new URL("./migrations/", import.meta.url));
    const others = Array.from({ length: 3 }, () => openDatabase(test.address, () => undefined));
    await Promise.all([database, ...others].map((instance) => migrate(instance)));
    expect(await versions()).toHaveLength(files.length);
    await Promise.all(others.map((instance) => instance.close()));
  });

  it("refuses a database that a newer version has changed, and leaves it alone", async () => {
    await migrate(database);
    const before = await versions();
    await database.query("INSERT INTO schema_migrations (version, name) VALUES (9999, '9999-the-future.sql')");
    await expect(migrate(database)).rejects.toThrow(/newer version.*9999/);
    expect(await versions()).toHaveLength(before.length + 1);
  });

  it("lets an older version run beside a newer one where the newer schema says so", async () => {
    const files = { "0001-one.sql": "CREATE TABLE settings (name text PRIMARY KEY, value jsonb NOT NULL)" };
    const older = await folderWith(files);
    await migrate(database, older);
    const newer = await mkdtemp(join(tmpdir(), "migrations-"));
    await writeFile(join(newer, "0001-one.sql"), files["0001-one.sql"]);
    await writeFile(
      join(newer, "0002-two.sql"),
      "-- Versions from schema 1 on run with it.\nCREATE TABLE two (id int)",
    );
    await migrate(database, pathToFileURL(`${newer}/`));
    await migrate(database, older);
    expect(await versions()).toHaveLength(2);
    // The next one is of the kind that only its own version runs with.
    await writeFile(join(newer, "0003-three.sql"), "DROP TABLE two");
    await migrate(database, pathToFileURL(`${newer}/`));
    await expect(migrate(database, older)).rejects.toThrow(/newer version of Trunkline \(schema 3, this one knows 1\)/);
    await rm(newer, { recursive: true });
  });

  it("that older versions can't run with waits until none of them runs", async () => {
    await migrate(database);
    const running = await Instance.register(database, newId());
    const files = await readdir(new URL("./migrations/", import.meta.url));
    for (const file of files) await copyFile(new URL(`./migrations/${file}`, import.meta.url), join(path, file));
    await writeFile(
      join(path, "9998-added.sql"),
      "-- Versions from schema 1 on run with it.\nCREATE TABLE added (id int)",
    );
    await migrate(database, pathToFileURL(`${path}/`));
    await writeFile(join(path, "9999-changed.sql"), "DROP TABLE added");
    await expect(migrate(database, pathToFileURL(`${path}/`))).rejects.toThrow(
      /versions before schema 9999 can't run with, and 1 instance of an older version run/,
    );
    expect(await tables()).toContain("added");
    await running.deregister();
    await migrate(database, pathToFileURL(`${path}/`));
    expect(await tables()).not.toContain("added");
  });

  it("brings an older database up step by step, in the order of the numbers", async () => {
    await migrate(database, await folderWith({ "0001-one.sql": "CREATE TABLE one (id int)" }));
    const files = {
      "0010-ten.sql": "ALTER TABLE two ADD COLUMN ten int",
      "0002-two.sql": "CREATE TABLE two (id int)",
      "notes.txt": "This is no migration.",
    };
    await migrate(database, await folderWith(files));
    expect(await versions()).toEqual([
      { version: 1, name: "0001-one.sql" },
      { version: 2, name: "0002-two.sql" },
      { version: 10, name: "0010-ten.sql" },
    ]);
  });

  it("to the ledger's seals keeps what is there, which is sealed from then on", async () => {
    const first = "0001-first-schema.sql";
    const sql = await readFile(new URL(`./migrations/${first}`, import.meta.url), "utf8");
    await migrate(database, await folderWith({ [first]: sql }));
    const id = newId();
    await database.query("INSERT INTO accounts (id, name, provider) VALUES ($1, 'Test', 'test')", [id]);
    await grantCredits(database, id, 5n, "before");
    await migrate(database);
    await grantCredits(database, id, 6n, "after");
    expect(await sealLedger(database)).toBe(2);
    const { findings } = await auditLedger(database);
    expect(findings.filter(({ verdict }) => verdict !== "sound")).toEqual([]);
  });

  it("to prices of caches and seconds keeps every version and every charge as it was", async () => {
    const sources = new URL("./migrations/", import.meta.url);
    const older = (await readdir(sources)).filter((file) => file < "0006");
    const files = await Promise.all(older.map(async (file) => [file, await readFile(new URL(file, sources), "utf8")]));
    await migrate(database, await folderWith(Object.fromEntries(files)));
    const [accountId, modelId] = [newId(), newId()];
    await database.query("INSERT INTO accounts (id, name, provider) VALUES ($1, 'Test', 'test')", [accountId]);
    await database.query(
      `INSERT INTO models (id, account_id, provider, name, type, description, endpoint, auth_type, may_dial_private,
         capabilities, specialties, streaming, backups, limits, state)
       VALUES ($1, $2, 'test', 'old', 'text', '', 'http://127.0.0.1', 'none', true, '{}', '{}', false, '{}', '{}', 'active')`,
      [modelId, accountId],
    );
    await database.query(
      "INSERT INTO price_versions (model_id, input_per_million, output_per_million, per_image, per_request) VALUES ($1, 0, 0, 0, 0)",
      [modelId],
    );
    await database.query(
      `INSERT INTO requests (id, account_id, key_id, path, task, status, input_tokens, output_tokens, usage_source,
         price_version, held, cost, latency_ms, detail, created_at)
       VALUES ($1, $2, $2, '/v1/generate', 'text', 200, 10, 20, 'own', (SELECT id FROM price_versions), 5, 0, 1, '{}', now())`,
      [newId(), accountId],
    );
    await migrate(database);
    expect(await readPrice(database, modelId)).toEqual({ version: "1", ...FREE_PRICE });
    const { findings } = await auditLedger(database);
    expect(findings.find(({ check }) => check === "prices")).toMatchObject({ verdict: "sound" });
    await expect(database.query("UPDATE price_versions SET per_second = 1")).rejects.toThrow("append-only");
    await expect(database.query("UPDATE requests SET cached_input_tokens = 11")).rejects.toThrow("check");
    await expect(database.query("UPDATE requests SET cache_write_tokens = 11")).rejects.toThrow("check");
  });

  it("that fails leaves nothing behind, not even what came before it in the same start", async () => {
    const files = {
      "0001-good.sql": "CREATE TABLE good (id int)",
      "0002-bad.sql": "CREATE TABLE bad (id no_such_type)",
    };
    await expect(migrate(database, await folderWith(files))).rejects.toThrow("no_such_type");
    expect(await tables()).toEqual([]);
  });
});
