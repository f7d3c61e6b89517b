import { newId } from "@trunkline/core/id.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import type { Queryable } from "../database/database.ts";
import { releaseInstance } from "../instances.ts";
import type { PostgresLedger } from "../ledger/ledger.ts";
import {
  closeUsageDays,
  MERGED_ROWS_MAX,
  mergeInstanceUsage,
  mergeLeftUsage,
  usageClosedUntil,
} from "./usage-rollups.ts";

describe("closing days", () => {
  const HOUR_MS = 3_600_000;
  const DAY_MS = 24 * HOUR_MS;
  const KEY = newId();
  /** Over for long. */
  const LONG_AGO = new Date("2026-01-15T12:00:00Z");

  let store: FreshStore;
  let ledger: PostgresLedger;
  let accountId: string;

  beforeEach(async () => {
    store = await openFreshStore();
    ledger = await store.openLedger();
    accountId = await store.makeAccount();
  });
  afterEach(() => store.close());

  /** A number of answers at a moment. */
  const answer = (createdAt: Date, times = 1) =>
    ledger.write(Array.from({ length: times }, () => sampleSettlement({ accountId, keyId: KEY, createdAt })));

  /** The requests in each of the sums, by their day or quarter. */
  async function closedSums() {
    const days = await store.database.query<{ at: string; requests: bigint }>(
      "SELECT day::text AS at, requests FROM usage_days ORDER BY day",
    );
    const quarters = await store.database.query<{ at: Date; requests: bigint }>(
      "SELECT quarter AS at, requests FROM usage_account_quarters ORDER BY quarter",
    );
    return {
      days: days.map(({ at, requests }) => [at, requests]),
      quarters: quarters.map(({ at, requests }) => [at.toISOString(), requests]),
    };
  }

  const NOON = LONG_AGO.toISOString();

  describe("days that are over", () => {
    it("are summed once, each by itself and by its quarters", async () => {
      await answer(LONG_AGO, 2);
      await answer(new Date(LONG_AGO.getTime() + HOUR_MS));
      await answer(new Date(LONG_AGO.getTime() + DAY_MS));
      expect(await usageClosedUntil(store.database)).toBeUndefined();
      expect(await closeUsageDays(store.database)).toBe(true);
      expect(await closedSums()).toEqual({
        days: [
          ["2026-01-15", 3n],
          ["2026-01-16", 1n],
        ],
        quarters: [
          [NOON, 2n],
          ["2026-01-15T13:00:00.000Z", 1n],
          ["2026-01-16T12:00:00.000Z", 1n],
        ],
      });
      expect(await closeUsageDays(store.database)).toBe(false);
    });

    it("are closed up to a midnight of UTC that is three hours past, and no further", async () => {
      const before = Date.now();
      await answer(new Date(before));
      await closeUsageDays(store.database);
      const until = (await usageClosedUntil(store.database))?.getTime() ?? 0;
      expect(until % DAY_MS).toBe(0);
      expect(until).toBeLessThanOrEqual(Date.now() - 3 * HOUR_MS);
      expect(until).toBeGreaterThan(before - DAY_MS - 3 * HOUR_MS);
      expect(await closedSums()).toEqual({ days: [], quarters: [] });
    });

    it("are closed by one of many concurrent attempts", async () => {
      await answer(LONG_AGO);
      const tries = await Promise.all(Array.from({ length: 6 }, () => closeUsageDays(store.database)));
      expect(tries.filter(Boolean)).toHaveLength(1);
      expect((await closedSums()).days).toEqual([["2026-01-15", 1n]]);
    });
  });

  describe("what is written when its day is closed", () => {
    it("is added to it, whether its quarter is new or not", async () => {
      await answer(LONG_AGO);
      await closeUsageDays(store.database);
      await answer(LONG_AGO, 3);
      await answer(new Date(LONG_AGO.getTime() - HOUR_MS));
      await answer(new Date(LONG_AGO.getTime() - DAY_MS));
      expect(await closedSums()).toEqual({
        days: [
          ["2026-01-14", 1n],
          ["2026-01-15", 5n],
        ],
        quarters: [
          ["2026-01-14T12:00:00.000Z", 1n],
          ["2026-01-15T11:00:00.000Z", 1n],
          [NOON, 4n],
        ],
      });
    });

    it("is added once, however often it is written", async () => {
      await closeUsageDays(store.database);
      const late = sampleSettlement({ accountId, keyId: KEY, createdAt: LONG_AGO });
      await ledger.write([late]);
      await ledger.write([late]);
      expect((await closedSums()).days).toEqual([["2026-01-15", 1n]]);
    });

    it("is not added again when the instance's rows are merged into the shared ones", async () => {
      const instanceId = newId();
      const gone = await store.openLedger(instanceId);
      await gone.write([sampleSettlement({ accountId, keyId: KEY, createdAt: LONG_AGO })]);
      await closeUsageDays(store.database);
      await gone.write([sampleSettlement({ accountId, keyId: KEY, createdAt: LONG_AGO })]);
      await mergeInstanceUsage(store.database, instanceId);
      expect(await closedSums()).toEqual({ days: [["2026-01-15", 2n]], quarters: [[NOON, 2n]] });
    });

    it("is not added to a day that is open", async () => {
      await closeUsageDays(store.database);
      await answer(new Date(), 2);
      expect(await closedSums()).toEqual({ days: [], quarters: [] });
    });
  });

  describe("a write while a day is being closed", () => {
    const LATE = `INSERT INTO usage_quarters VALUES ($1, $2, $3, 'model', 'acme', 'text', 1, 0, 10, 20, 0)`;
    const writeLate = (connection: Queryable) => connection.query(LATE, [accountId, LONG_AGO, KEY]);

    it("delays the closing until it is committed, and is then in the sums", async () => {
      const [written, commit] = [newGate(), newGate()];
      const late = store.database.transaction(async (connection) => {
        await writeLate(connection);
        written.open();
        await commit.opened;
      });
      await written.opened;
      expect(await closeUsageDays(store.database)).toBe(false);
      commit.open();
      await late;
      expect(await closeUsageDays(store.database)).toBe(true);
      expect((await closedSums()).days).toEqual([["2026-01-15", 1n]]);
    });

    it("waits for the closing, and finds the day closed", async () => {
      const [closing, commit] = [newGate(), newGate()];
      const closer = store.database.transaction(async (connection) => {
        await connection.query("SELECT FROM usage_closed FOR UPDATE");
        closing.open();
        await commit.opened;
        await connection.query("UPDATE usage_closed SET until = '2026-02-01T00:00:00Z'");
      });
      await closing.opened;
      const late = writeLate(store.database);
      const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      await expect.poll(() => store.database.query(waiting)).toHaveLength(1);
      commit.open();
      await Promise.all([closer, late]);
      expect((await closedSums()).days).toEqual([["2026-01-15", 1n]]);
    });
  });
});

describe("merging the rows of an instance", () => {
  const COMMON = "00000000-0000-0000-0000-000000000000";
  const EARLY = new Date("2026-01-15T12:00:00Z");
  const LATE = new Date("2026-01-15T13:00:00Z");

  let store: FreshStore;

  beforeAll(async () => {
    store = await openFreshStore();
  });
  afterAll(() => store.close());

  describe("an instance's own rows", () => {
    it("are merged into the shared ones up to a moment, and later ones stay its own", async () => {
      const [accountId, keyId, one, two] = [await store.makeAccount(), newId(), newId(), newId()];
      for (const instanceId of [one, two]) {
        const ledger = await store.openLedger(instanceId);
        await ledger.write(
          [EARLY, EARLY, LATE].map((createdAt) =>
            sampleSettlement({ requestId: newId(createdAt.getTime()), accountId, keyId, createdAt }),
          ),
        );
      }
      const sums = async () => {
        const rows = await store.database.query<{ instance_id: string; quarter: Date; requests: bigint }>(
          "SELECT instance_id, quarter, requests FROM usage_quarters WHERE account_id = $1 ORDER BY quarter, instance_id",
          [accountId],
        );
        return rows.map((row) => [row.instance_id, row.quarter.toISOString(), row.requests]);
      };
      const [early, late] = [EARLY.toISOString(), LATE.toISOString()];

      await mergeInstanceUsage(store.database, one, LATE);
      expect(await sums()).toEqual([
        [COMMON, early, 2n],
        [two, early, 2n],
        ...[one, two].toSorted().map((instanceId) => [instanceId, late, 1n]),
      ]);
      await mergeInstanceUsage(store.database, two);
      await mergeInstanceUsage(store.database, one);
      expect(await sums()).toEqual([
        [COMMON, early, 4n],
        [COMMON, late, 2n],
      ]);
    });

    it("are merged over several statements where a dead instance left many, so that no start waits for all of them", async () => {
      const [accountId, dead] = [await store.makeAccount(), newId()];
      const count = 2 * MERGED_ROWS_MAX + 1;
      await store.database.query(
        `INSERT INTO usage_quarters (account_id, quarter, key_id, model, provider, task, instance_id, requests, errors, input_tokens, output_tokens, cost, latency_ms)
         SELECT $1, now(), gen_random_uuid(), 'm', 'p', 'chat', $2, 1, 0, 2, 3, 4, 5 FROM generate_series(1, $3::int)`,
        [accountId, dead, count],
      );
      const rows = async () => {
        const [row] = await store.database.query<{ left: bigint; requests: bigint }>(
          "SELECT count(*) FILTER (WHERE instance_id = $2) AS left, sum(requests)::bigint AS requests FROM usage_quarters WHERE account_id = $1",
          [accountId, dead],
        );
        return row;
      };
      await store.database.transaction((connection) => releaseInstance(connection, dead));
      expect(await rows()).toEqual({ left: BigInt(count - MERGED_ROWS_MAX), requests: BigInt(count) });
      await mergeLeftUsage(store.database);
      expect(await rows()).toEqual({ left: 0n, requests: BigInt(count) });
    });
  });
});
