import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { newId } from "@trunkline/core/id.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { priceSettlements } from "../../../test/support/priced-settlements.ts";
import { auditLedger, type LedgerAudit } from "../ledger/audit.ts";
import { setCheckpoint } from "../ledger/audit-scope.ts";
import type { PostgresLedger } from "../ledger/ledger.ts";
import { PostgresProviderEarnings } from "../ledger/provider-earnings.ts";
import { sealLedger } from "../ledger/seal-ledger.ts";
import { RequestArchiver, type RequestRetention } from "./request-archive.ts";
import { closeUsageDays } from "./usage-rollups.ts";
import { verifyArchives } from "./verify-archives.ts";

const DAY_MS = 86_400_000;

describe("records of requests past their retention", () => {
  let store: FreshStore;
  let ledger: PostgresLedger;
  let folder: string;
  let accountId: string;
  let settle: Awaited<ReturnType<typeof priceSettlements>>;
  const now = Date.now();

  beforeEach(async () => {
    store = await openFreshStore();
    folder = await mkdtemp(join(tmpdir(), "trunkline-archive-"));
    settle = await priceSettlements(store);
    accountId = await store.makeAccount(1_000_000n);
    ledger = await store.openLedger();
    await charge(40, 3n);
    await charge(35, 0n, 4n);
    await charge(2, 5n);
    await settleBooks();
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Requests that arrived so many days ago. */
  async function charge(daysAgo: number, ...costs: bigint[]): Promise<void> {
    const arrived = now - daysAgo * DAY_MS;
    await ledger.write(
      costs.map((cost) =>
        settle({ accountId, keyId: accountId, cost, requestId: newId(arrived), createdAt: new Date(arrived) }),
      ),
    );
  }

  async function settleBooks(): Promise<void> {
    await sealLedger(store.database);
    await new PostgresProviderEarnings(store.database).collect(100_000);
    await closeUsageDays(store.database);
  }

  const archive = (change: Partial<RequestRetention> = {}) =>
    new RequestArchiver(store.database, { days: 30, folder, ...change }).run(now);

  async function broken(sinceCheckpoint = false): Promise<string[]> {
    const { findings } = await auditLedger(store.database, sinceCheckpoint);
    return findings
      .filter(({ verdict }) => verdict !== "sound")
      .map(({ check, examples }) => `${check}: ${examples[0]}`);
  }

  async function tamper(statement: string): Promise<void> {
    await store.database.transaction(async (connection) => {
      await connection.query("SET LOCAL session_replication_role = replica");
      await connection.query(statement);
    });
  }

  const files = async () => (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".gz"));
  const countRows = async () =>
    (await store.database.query<{ count: bigint }>("SELECT count(*) FROM requests"))[0]?.count;

  it("go into files and leave the database, and the audit still proves all of it", async () => {
    const [before] = await store.database.query(
      "SELECT sum(cost) AS cost, sum(requests) AS requests FROM usage_quarters",
    );
    expect(await archive()).toBe(3);
    expect(await countRows()).toBe(1n);
    const [name = ""] = await files();
    const lines = gunzipSync(await readFile(join(folder, name)))
      .toString()
      .trimEnd()
      .split("\n");
    expect(lines.map((line) => JSON.parse(line).request.cost)).toEqual([3, 0, 4]);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ request: { account_id: accountId }, legs: [], feedback: null });
    expect(
      await store.database.query("SELECT sum(cost) AS cost, sum(requests) AS requests FROM usage_quarters"),
    ).toEqual([before]);
    expect(await broken()).toEqual([]);
    expect(await verifyArchives(store.database, folder)).toEqual({ files: 1, requests: 3n, troubles: [] });
    expect(await archive()).toBe(0);

    await charge(1, 6n);
    expect(await broken()).toEqual([]);
    expect(await archive({ days: 1 })).toBe(1);
    expect(await broken()).toEqual([]);
    expect((await verifyArchives(store.database, folder)).files).toBe(2);
  });

  it("stay where nothing is sealed yet, and where days are not closed", async () => {
    await tamper("UPDATE usage_closed SET until = now() - interval '60 days'");
    expect(await archive()).toBe(0);
    await tamper("TRUNCATE ledger_seals");
    expect(await archive()).toBe(0);
    expect(await countRows()).toBe(4n);
  });

  it("are deleted where there is no folder for them, and their sums are still proved", async () => {
    expect(await archive({ folder: undefined })).toBe(3);
    expect(await files()).toEqual([]);
    expect(await broken()).toEqual([]);
    expect(await verifyArchives(store.database, folder)).toEqual({ files: 0, requests: 0n, troubles: [] });
  });

  it("stay in the database where the file can't be written", async () => {
    await writeFile(join(folder, "file"), "");
    await expect(archive({ folder: join(folder, "file") })).rejects.toThrow("ENOTDIR");
    expect(await countRows()).toBe(4n);
    expect(await broken()).toEqual([]);
    expect(await archive()).toBe(3);
  });

  it.each([
    [
      "an archive's figures",
      "UPDATE request_archives SET cost = cost + 1",
      /^archives: archive 1 is not as it was noted/,
    ],
    [
      "an archive that is gone",
      "DELETE FROM request_archives",
      /^archives: the ledger has 2 charges of 7 for archived requests, the archives 0 of 0/,
    ],
    ["a request that was deleted besides", "DELETE FROM requests", /^one-charge: transfer \d+ charges 5/],
    ["a charge of an archived request", "UPDATE ledger_transfers SET amount = 9 WHERE amount = 3", /^balances: /],
  ])("are missed by the audit after a change of %s", async (_what, statement, message) => {
    await archive();
    await tamper(statement);
    expect((await broken()).join("\n")).toMatch(new RegExp(message.source, "m"));
  });

  it.each<[string, (content: string) => Buffer | undefined, RegExp]>([
    ["changed", (content) => gzipSync(content.replace('"cost":3', '"cost":2')), /its content is not what was archived/],
    ["cut off", (content) => gzipSync(content).subarray(0, 30), /it can't be read/],
    ["missing", () => undefined, /it can't be read \(ENOENT/],
  ])("are found wanting where a file is %s", async (_what, change, message) => {
    await archive();
    const path = join(folder, (await files())[0] ?? "");
    const other = change(gunzipSync(await readFile(path)).toString());
    await (other === undefined ? rm(path) : writeFile(path, other));
    expect((await verifyArchives(store.database, folder)).troubles.join()).toMatch(message);
  });

  describe("audits that begin at a checkpoint", () => {
    async function checkpoint(): Promise<void> {
      let mark: LedgerAudit["mark"];
      // A seal is settled by one after it, once no transaction is open on the server that began before it: also none of another test.
      const settle = async () => {
        await charge(0, 1n);
        await settleBooks();
        mark = (await auditLedger(store.database)).mark;
        return mark;
      };
      await expect.poll(settle).toBeDefined();
      if (mark !== undefined) await setCheckpoint(store.database, mark);
    }

    it("read what came since, and find it sound", async () => {
      await checkpoint();
      await charge(0, 2n, 3n);
      await settleBooks();
      const { transfers, since } = await auditLedger(store.database, true);
      expect(since).toBeDefined();
      expect(transfers).toBeLessThan((await auditLedger(store.database)).transfers);
      expect(await broken(true)).toEqual([]);
      // The next one continues from its balances.
      await checkpoint();
      expect(await broken(true)).toEqual([]);
      await archive();
      expect(await broken(true)).toEqual([]);
      expect(await broken()).toEqual([]);
    });

    it.each([
      ["a balance", "UPDATE ledger_accounts SET balance = balance + 1 WHERE kind = 'revenue'", "balances"],
      ["a new transfer", "UPDATE ledger_transfers SET amount = amount + 1 WHERE amount = 77", "seals"],
      ["a new request", "UPDATE requests SET cost = cost - 1, held = held - 1 WHERE cost = 77", "one-charge"],
      [
        "the seal it began at",
        "UPDATE ledger_seals SET digest = 'x' WHERE id = (SELECT max(seal) FROM ledger_checkpoints)",
        "checkpoints",
      ],
      [
        "an opening balance",
        "UPDATE ledger_checkpoint_balances SET balance = balance - 1 WHERE balance > 0",
        "balances",
      ],
    ])("find a change of %s", async (_what, statement, check) => {
      await checkpoint();
      await charge(0, 77n);
      await settleBooks();
      await tamper(statement);
      expect((await broken(true)).map((finding) => finding.split(":")[0])).toContain(check);
    });
  });
});
