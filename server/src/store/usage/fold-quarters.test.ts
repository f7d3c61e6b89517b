import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { mergeInstanceUsage } from "./fold-quarters.ts";

const COMMON = "00000000-0000-0000-0000-000000000000";
const EARLY = new Date("2026-01-15T12:00:00Z");
const LATE = new Date("2026-01-15T13:00:00Z");

let store: FreshStore;

beforeAll(async () => {
  store = await openFreshStore();
});
afterAll(() => store.close());

describe("an instance's own sums of usage", () => {
  it("are added to the common ones up to a moment, and what comes after stays its own", async () => {
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
});
