import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Connection } from "@trunkline/local-postgres/connection.ts";
import { startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import { findRetainedBinaries } from "@trunkline/local-postgres/locate-binaries.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { OLDER, openTrial, processesOn, query, type Trial } from "../../test/support/embedded-trial.ts";
import { openStoreAt } from "../../test/support/fresh-store.ts";
import { openTraffic } from "../../test/support/ledger-traffic.ts";
import { priceSettlements } from "../../test/support/priced-settlements.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.ts";
import { copyDatabase } from "./copy-database.ts";
import { type Database, openDatabase } from "./database/database.ts";
import { auditLedger } from "./ledger/audit.ts";
import { sealLedger } from "./ledger/seal-ledger.ts";
import { migrate } from "./migrate.ts";

describe("upgrading PostgreSQL", () => {
  /** Every sign that a row's text could trip over. */
  const ODD = 'tab\t line\n back\\slash \\. quote\' "double" ünïcödé 🐘';

  let trial: Trial;
  let older: string;
  let before: unknown[];
  let settle: Awaited<ReturnType<typeof priceSettlements>>;

  /** All rows of all tables as text, and where each sequence stands. */
  async function contentOf(connection: Connection): Promise<unknown[]> {
    const tables = (await query(
      connection,
      "SELECT relname AS name, relkind AS kind FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S') ORDER BY 1",
    )) as { name: string; kind: string }[];
    const content: unknown[] = [];
    for (const { name, kind } of tables) {
      const what = kind === "S" ? "last_value, is_called" : "(t.*)::text";
      content.push([name, await query(connection, `SELECT ${what} FROM ${name} t ORDER BY 1`)]);
    }
    return content;
  }

  async function findTrouble(connection: Connection): Promise<unknown[]> {
    const store = await openStoreAt(connection);
    const { findings } = await auditLedger(store.database);
    await store.close();
    return findings.filter(({ verdict }) => verdict !== "sound");
  }

  /** A copy of the folder with the older data. */
  async function copyAs(name: string): Promise<string> {
    const dataDir = join(trial.folder, name);
    await promisify(execFile)("cp", ["-a", older, dataDir]);
    return dataDir;
  }

  const versionIn = (dataDir: string, cluster = "cluster") =>
    readFile(join(dataDir, "postgres", cluster, "PG_VERSION"), "utf8");
  const namesIn = async (dataDir: string) =>
    (await readdir(join(dataDir, "postgres"))).filter((name) => !/^(binaries-|gateway-|\.s\.)/.test(name)).toSorted();

  beforeAll(async () => {
    trial = await openTrial();
    older = join(trial.folder, "older");
    const postgres = await trial.start(older, () => undefined, { packageName: OLDER, retainAfterMs: 0 });
    const store = await openStoreAt(postgres.connection);
    settle = await priceSettlements(store);
    const traffic = await openTraffic(store, settle);
    for (const account of [0, 1]) {
      await traffic.take({ act: "grant", account, amount: 500n });
      await traffic.take({ act: "lease", account, instance: account, amount: 300n });
      await traffic.take({ act: "charge", account, instance: account, costs: [7n, 11n, 13n] });
      await sealLedger(store.database);
    }
    await traffic.take({ act: "leave", instance: 0 });
    await store.database.query("INSERT INTO settings VALUES ('odd', to_jsonb($1::text)), ('none', 'null')", [ODD]);
    await store.database.query(
      "UPDATE requests SET detail = json_build_object('text', $1::text), images = NULL, latency_ms = 0.1 + 0.2",
      [ODD],
    );
    await traffic.close();
    before = await contentOf(postgres.connection);
    await store.close();
    await vi.waitFor(async () => expect(await findRetainedBinaries(join(older, "postgres"), "17")).toBeDefined(), {
      timeout: 240_000,
    });
    await postgres.stop();
  });
  afterEach(() => trial.settle());
  afterAll(() => trial.clear());

  describe("data of an older PostgreSQL", () => {
    it("is copied as it was, and the old files are kept", async () => {
      const dataDir = await copyAs("plain");
      const postgres = await trial.start(dataDir);
      const { connection } = postgres;
      expect(await query(connection, "SHOW server_version_num")).toEqual([
        { server_version_num: expect.stringMatching(/^18/) },
      ]);
      expect(await contentOf(connection)).toEqual(before);
      expect(await findTrouble(connection)).toEqual([]);
      expect(await namesIn(dataDir)).toEqual(["cluster", "cluster-17"]);
      expect(await versionIn(dataDir, "cluster-17")).toBe("17\n");
      expect(postgres.notes).toEqual([
        expect.stringMatching(/PostgreSQL 17\. The old files are kept in .*cluster-17; delete that folder/),
      ]);

      // What comes after it is sealed too, with guards in force again.
      const store = await openStoreAt(connection);
      const traffic = await openTraffic(store, settle);
      await traffic.take({ act: "grant", account: 0, amount: 50n });
      expect(await sealLedger(store.database)).toBeGreaterThan(0);
      await traffic.take({ act: "lease", account: 0, instance: 0, amount: 50n });
      await traffic.take({ act: "charge", account: 0, instance: 0, costs: [1n, 2n] });
      await traffic.close();
      expect(await sealLedger(store.database)).toBeGreaterThan(0);
      await expect(store.database.query("DELETE FROM ledger_transfers")).rejects.toThrow("append-only");
      const strays =
        "INSERT INTO webhooks (id, account_id, url, may_dial_private, description, sealed_secret) VALUES (gen_random_uuid(), gen_random_uuid(), '', false, '', '')";
      await expect(store.database.query(strays)).rejects.toThrow("foreign key");
      await store.close();
      expect(await findTrouble(connection)).toEqual([]);
      await postgres.stop();

      await rm(join(dataDir, "postgres", "cluster-17"), { recursive: true });
      expect((await trial.start(dataDir)).notes).toEqual([]);
    });

    it("survives a kill at any moment: the next start begins again, or goes on", async () => {
      const dataDir = await copyAs("killed");
      for (const [dieAt, left] of [
        ["copying", ["cluster", "upgrade"]],
        ["filled", ["cluster", "upgrade"]],
        ["set aside", ["cluster-17", "upgrade"]],
      ] as const) {
        const gateway = trial.spawnGateway(dataDir, { dieAt });
        expect(await once(gateway, "exit")).toEqual([null, "SIGKILL"]);
        expect(await namesIn(dataDir)).toEqual(left);
        expect(await versionIn(dataDir, left[0])).toBe("17\n");
      }
      const postgres = await trial.start(dataDir);
      expect(await contentOf(postgres.connection)).toEqual(before);
      expect(await namesIn(dataDir)).toEqual(["cluster", "cluster-17"]);
      await postgres.stop();
      expect(await processesOn(dataDir)).toEqual([]);
    });

    it("is left alone by commands that only read, and where it has something that can't be copied", async () => {
      const dataDir = await copyAs("refused");
      const look = startEmbeddedPostgres({ dataDir, log: () => undefined, readOnly: true });
      await expect(look).rejects.toThrow("Start the service once");
      const first = await trial.start(dataDir, () => undefined, { packageName: OLDER });
      await query(first.connection, "CREATE SCHEMA mine; CREATE TABLE mine.notes (body text)");
      await first.stop();

      await expect(trial.start(dataDir)).rejects.toThrow(/can't be brought over.*untouched.*mine\.notes/s);
      expect(await namesIn(dataDir)).toEqual(["cluster"]);
      expect(await processesOn(dataDir)).toEqual([]);
      const again = await trial.start(dataDir, () => undefined, { packageName: OLDER });
      expect(await contentOf(again.connection)).toEqual(before);
    });
  });
});

describe("copy-database", () => {
  let tests: readonly [TestDatabase, TestDatabase];
  let [source, target]: Database[] = [];
  let folder: string;
  beforeEach(async () => {
    tests = [await createTestDatabase(), await createTestDatabase()];
    [source, target] = tests.map(({ address }) => openDatabase(address, () => undefined));
    folder = await mkdtemp(join(tmpdir(), "trunkline-trial-"));
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
    await writeFile(join(path, name), await readFile(new URL(`./migrations/${name}`, import.meta.url), "utf8"));
    if (database !== undefined) await migrate(database, pathToFileURL(`${path}/`));
    await rm(path, { recursive: true });
  }

  describe("copyDatabase", () => {
    it("makes the schema of the source, with its rows and no others, and leaves no file behind", async () => {
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
        ["ALTER TABLE settings ADD COLUMN mine int", "ALTER TABLE settings DROP COLUMN mine", "public.settings"],
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
});
