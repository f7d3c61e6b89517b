import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "@trunkline/core/fault.ts";
import { findDeadPort } from "@trunkline/testing/throwaway-server.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openTrial, serverPidIn, type Trial } from "../../../test/support/embedded-trial.ts";
import { openStoreAt } from "../../../test/support/fresh-store.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { openDatabase } from "../../store/database/database.ts";
import type { DatabaseAddress } from "../../store/database/servers.ts";
import { AUDIT_CHECKS } from "../../store/ledger/audit-checks.ts";
import { sealLedger } from "../../store/ledger/seal-ledger.ts";
import { migrate } from "../../store/migrate.ts";
import { auditCommand } from "./audit.ts";

interface Site {
  readonly databaseUrl?: string;
  readonly dataDir?: string;
}

async function run({ databaseUrl, dataDir = "/nowhere" }: Site, ...args: string[]) {
  const lines: string[] = [];
  const code = await auditCommand(
    args,
    () => ({ databaseUrl, dataDir, walArchive: undefined, secret: undefined, otherDatabaseUrls: [] }),
    (line) => lines.push(line),
  );
  return { code, lines, text: lines.join("\n") };
}

async function query(address: DatabaseAddress, ...statements: string[]): Promise<void> {
  const database = openDatabase(address, () => undefined);
  for (const statement of statements) await database.query(statement);
  await database.close();
}

async function prepare(address: DatabaseAddress): Promise<void> {
  const database = openDatabase(address, () => undefined);
  await migrate(database);
  await database.close();
}

const OPEN_SEALS = "SELECT id FROM ledger_seals WHERE xid >= pg_snapshot_xmin(pg_current_snapshot())";

describe("trunkline audit of a database of one's own", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  it("refuses a database without data, and makes none", async () => {
    const { code, text } = await run({ databaseUrl: test.url });
    expect(code).toBe(2);
    expect(text).toMatch(/could not be made.*\n.*no data of Trunkline/);
    const database = openDatabase(test.address, () => undefined);
    expect(await database.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
    await database.close();
  });

  it("prints a line for each check and ends with 0 when all is well", async () => {
    await prepare(test.address);
    const { code, lines } = await run({ databaseUrl: test.url });
    expect(lines.slice(0, -1)).toEqual(AUDIT_CHECKS.map(({ sentence }) => `✓ ${sentence}`));
    expect(lines.at(-1)).toBe(
      `The ledger is sound: ${AUDIT_CHECKS.length} checks of 0 transfers. There is no seal yet.`,
    );
    expect(code).toBe(0);
  });

  it("sets a checkpoint only where something is sealed, begins at it, and reads archived files", async () => {
    expect((await run({ databaseUrl: test.url }, "--set-checkpoint")).text).toContain("No checkpoint was set");
    expect((await run({ databaseUrl: test.url }, "--since-checkpoint")).lines.at(-1)).toContain(
      "of 0 transfers. There",
    );
    const store = await openStoreAt(test.address);
    for (const amount of [5n, 6n]) {
      await store.makeAccount(amount);
      await sealLedger(store.database);
      // A checkpoint waits for every transaction that was open then, also those of other databases of this server.
      await expect.poll(() => store.database.query(OPEN_SEALS), { timeout: 60_000 }).toEqual([]);
    }
    await store.close();
    const set = await run({ databaseUrl: test.url }, "--set-checkpoint", "--archive", "/nowhere");
    expect(set.lines[0]).toMatch(/^✓ 0 archived files/);
    expect(set.lines.at(-1)).toBe("A checkpoint is set at seal 2.");
    const since = await run({ databaseUrl: test.url }, "--since-checkpoint");
    expect(since.lines.at(-1)).toMatch(/checks of 1 transfers since the checkpoint of \d{4}-.*Seal 2: /);
    expect(since.code).toBe(0);
  });

  it("shows what is wrong and ends with 1", async () => {
    const leases = (count: number) =>
      `INSERT INTO ledger_accounts (kind, instance_id, balance) SELECT 'lease', gen_random_uuid(), 1 FROM generate_series(1, ${count})`;
    await query(test.address, leases(7));
    const { code, lines } = await run({ databaseUrl: test.url });
    expect(code).toBe(1);
    const at = lines.indexOf("✗ No money lies in the lease of an instance that is gone. Not so: 7.");
    expect(lines[at + 1]).toMatch(/^ {4}lease \d+ of account/);
    expect(lines[at + 6]).toBe("    and 2 more");
    expect(lines.at(-1)).toMatch(/^The ledger is not sound: 3 of \d+ checks of 2 transfers failed\./);
  });

  it.each([
    ["older", "DELETE FROM schema_migrations WHERE version >= 2", /older version of Trunkline \(schema 1,/],
    ["newer", "INSERT INTO schema_migrations VALUES (2, 'two'), (9999, 'future')", /newer version of Trunkline/],
  ])("refuses a schema that is %s than it knows, and leaves it alone", async (_what, statement, message) => {
    await query(test.address, statement);
    const { code, text } = await run({ databaseUrl: test.url });
    expect(code).toBe(2);
    expect(text).toMatch(message);
  });
});

describe("trunkline audit", () => {
  it("ends with 2 where the database can't be reached", async () => {
    const { code, text } = await run({ databaseUrl: `postgres://x@127.0.0.1:${await findDeadPort()}/x` });
    expect(code).toBe(2);
    expect(text).toContain("ECONNREFUSED");
  });

  it("ends with 2 where the settings are wrong", async () => {
    const lines: string[] = [];
    const refuse = () => {
      throw new StartupError("The variable PORT is wrong.");
    };
    expect(await auditCommand([], refuse, (line) => lines.push(line))).toBe(2);
    expect(lines.join("\n")).toContain("The variable PORT is wrong.");
  });

  it("explains itself, and ends with 2 where it is given what it does not know", async () => {
    expect(await run({}, "--help")).toMatchObject({
      code: 0,
      text: expect.stringContaining("trunkline audit"),
    });
    for (const args of [["--fast"], ["now"]]) {
      const { code, text } = await run({}, ...args);
      expect(code).toBe(2);
      expect(text).toContain(args[0]);
      expect(text).toContain("trunkline audit");
    }
  });
});

describe("trunkline audit of a data folder", () => {
  let trial: Trial;
  let dataDir: string;
  beforeAll(async () => {
    trial = await openTrial();
    dataDir = join(trial.folder, "data");
  });
  afterEach(() => trial.settle());
  afterAll(() => trial.clear());

  it("refuses a folder without a store, and makes none", async () => {
    const { code, text } = await run({ dataDir });
    expect(code).toBe(2);
    expect(text).toContain(`There is no store in ${dataDir}.`);
    expect(existsSync(dataDir)).toBe(false);
  });

  it("asks the server of the gateway that runs there, and leaves it running", async () => {
    const postgres = await trial.start(dataDir);
    await prepare(postgres.connection);
    const pid = await serverPidIn(dataDir);
    expect(await run({ dataDir })).toMatchObject({ code: 0 });
    expect(await serverPidIn(dataDir)).toBe(pid);
    await query(postgres.connection, "SELECT 1");
  });

  it("starts the server where no gateway runs, and leaves the folder as free as it was", async () => {
    const before = (await readdir(join(dataDir, "postgres"))).toSorted();
    expect(await run({ dataDir })).toMatchObject({ code: 0 });
    expect((await readdir(join(dataDir, "postgres"))).toSorted()).toEqual(before);
    expect(existsSync(join(dataDir, "postgres", "cluster", "postmaster.pid"))).toBe(false);
  });

  it("finds what is wrong there as well", async () => {
    const postgres = await trial.start(dataDir);
    await query(postgres.connection, "UPDATE ledger_accounts SET balance = -5 WHERE kind = 'issued'");
    await trial.settle();
    const { code, text } = await run({ dataDir });
    expect(code).toBe(1);
    expect(text).toContain("    issued 1: the balance is -5, its movements add up to 0");
  });
});
