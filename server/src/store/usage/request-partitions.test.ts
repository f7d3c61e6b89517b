import { firstIdAt, newId } from "@trunkline/core/id.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { priceSettlements } from "../../../test/support/priced-settlements.ts";
import { auditLedger } from "../ledger/audit.ts";
import type { PostgresLedger } from "../ledger/ledger.ts";
import { sealLedger } from "../ledger/seal-ledger.ts";
import { RequestPartitions } from "./request-partitions.ts";
import { closeUsageDays } from "./usage-rollups.ts";

const now = Date.now();
const monthStart = (ahead: number) => Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth() + ahead, 1);
const nameOf = (ahead: number) => `requests_${new Date(monthStart(ahead)).toISOString().slice(0, 7).replace("-", "_")}`;

describe("the table of requests", () => {
  let store: FreshStore;
  let ledger: PostgresLedger;
  let partitions: RequestPartitions;
  let accountId: string;
  let settle: Awaited<ReturnType<typeof priceSettlements>>;

  beforeEach(async () => {
    store = await openFreshStore();
    settle = await priceSettlements(store);
    accountId = await store.makeAccount(1_000_000n);
    ledger = await store.openLedger();
    partitions = new RequestPartitions(store.database);
  });
  afterEach(() => store.close());

  const charge = (arrived: number, cost = 1n) =>
    ledger.write([
      settle({ accountId, keyId: accountId, cost, requestId: newId(arrived), createdAt: new Date(arrived) }),
    ]);

  const names = async () =>
    (await store.database.query<{ name: string }>("SELECT name FROM request_partitions() ORDER BY 1")).map(
      ({ name }) => name,
    );

  /** In which table each record lies. */
  const places = async () =>
    (
      await store.database.query<{ place: string }>(
        "SELECT tableoid::regclass::text AS place FROM requests ORDER BY id",
      )
    ).map(({ place }) => place);

  async function findTrouble(): Promise<unknown[]> {
    await sealLedger(store.database);
    await closeUsageDays(store.database);
    const { findings } = await auditLedger(store.database);
    return findings.filter(({ verdict }) => verdict !== "sound");
  }

  /** The table as versions before had it. */
  async function makeOneTable(): Promise<void> {
    await store.database.query(`
      ALTER TABLE requests DETACH PARTITION requests_before;
      DROP TABLE requests;
      ALTER TABLE requests_before RENAME TO requests;
      DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT relname FROM pg_class WHERE relname LIKE 'requests_before_%' LOOP
          EXECUTE format('ALTER INDEX %I RENAME TO %I', name, replace(name, 'requests_before_', 'requests_'));
        END LOOP;
      END $$`);
  }

  const ALL = [nameOf(0), nameOf(1), nameOf(2), "requests_before", "requests_later"].toSorted();

  it("has a partition for this month and the next two, one for what came before and one for what comes later", async () => {
    expect(await names()).toEqual(ALL);
    await charge(monthStart(0) - 1);
    await charge(now);
    await charge(monthStart(3));
    expect(await places()).toEqual(["requests_before", nameOf(0), "requests_later"]);
    await partitions.run(now);
    expect(await names()).toEqual(ALL);
  });

  it("gets the partitions of the months that passed, and moves the records into them", async () => {
    const requestId = newId(monthStart(4));
    const createdAt = new Date(monthStart(4));
    const late = settle({ accountId, keyId: accountId, cost: 2n, requestId, createdAt });
    await ledger.write([late]);
    await charge(monthStart(9));
    await partitions.run(monthStart(3) + 1);
    expect(await names()).toEqual([...ALL, nameOf(3), nameOf(4), nameOf(5)].toSorted());
    // A record that is written twice is one record, wherever it lies.
    await ledger.write([late]);
    expect(await places()).toEqual([nameOf(4), "requests_later"]);
    expect((await findTrouble()).length).toBe(0);
  });

  it("reads the newest requests from the newest months alone", async () => {
    const plan = await store.database.query<{ "QUERY PLAN": string }>(
      "EXPLAIN SELECT id FROM requests WHERE account_id = $1 ORDER BY id DESC LIMIT 50",
      [accountId],
    );
    // A merge would have to look into every month first.
    expect(plan.map((row) => row["QUERY PLAN"]).join("\n")).not.toMatch(/Merge Append|Sort/);
  });

  it("of an earlier version becomes the first partition while charges are written", async () => {
    await makeOneTable();
    let isOver = false;
    let written = 0;
    const writing = (async () => {
      while (!isOver) {
        await charge(now);
        written++;
      }
    })();
    // It gives way where the table is in use for too long, and is tried again.
    await expect
      .poll(async () => {
        await partitions.run(now);
        return names();
      })
      .toContain("requests_before");
    const during = written;
    await expect.poll(() => written).toBeGreaterThan(during + 5);
    isOver = true;
    await writing;
    await partitions.run(now);
    expect(new Set(await places())).toEqual(new Set(["requests_before"]));
    expect(await places()).toHaveLength(written);
    // This month and the next are in the first partition.
    expect(await names()).toEqual([nameOf(2), "requests_before", "requests_later"].toSorted());
    expect(await findTrouble()).toEqual([]);
    const indexes = await store.database.query<{ name: string }>(
      "SELECT indexname AS name FROM pg_indexes WHERE tablename = 'requests' ORDER BY 1",
    );
    expect(indexes.map(({ name }) => name)).toEqual([
      "requests_by_account",
      "requests_by_key",
      "requests_failed",
      "requests_pkey",
      "requests_sampled",
      "requests_tagged",
    ]);
  });

  it("is converted again where an earlier attempt was broken off long ago", async () => {
    await makeOneTable();
    const past = firstIdAt(now + 86_400_000);
    await store.database.query(`ALTER TABLE requests ADD CONSTRAINT requests_range CHECK (id < '${past}') NOT VALID`);
    await partitions.run(now);
    expect(await names()).toContain("requests_before");
    await charge(monthStart(9));
    expect(await places()).toEqual(["requests_later"]);
  });

  it("drops the partition of a month when all of its records were archived, and no other", async () => {
    await charge(monthStart(0) - 1);
    await charge(monthStart(0));
    await charge(monthStart(1));
    await store.database.query("UPDATE request_horizon SET first_kept = $1", [firstIdAt(monthStart(1))]);
    await partitions.run(now);
    expect(await names()).toEqual(ALL);
    expect(await places()).toHaveLength(3);
    await store.database.query("DELETE FROM requests WHERE id < $1", [firstIdAt(monthStart(1))]);
    // A long read is not disturbed, and nothing waits behind it for long.
    await store.database.transaction(async (reader) => {
      await reader.query("SELECT FROM requests LIMIT 1");
      await partitions.run(now);
      await charge(monthStart(1));
    });
    expect(await names()).toEqual(ALL);
    await partitions.run(now);
    expect(await names()).toEqual(ALL.filter((name) => name !== nameOf(0)));
    expect(await store.database.query("SELECT pg_relation_size('requests_before') AS bytes")).toEqual([{ bytes: 0n }]);
    // What comes late is still taken.
    await charge(monthStart(0) + 5);
    expect(await places()).toEqual(["requests_before", nameOf(1), nameOf(1)]);
  });
});
