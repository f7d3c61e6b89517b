import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import { closeUsageDays } from "../usage/close-usage.ts";
import { readKeyUses } from "./key-uses.ts";

const QUARTER_MS = 900_000;
const DAY_MS = 96 * QUARTER_MS;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const KEYS = [newId(), newId()];

let store: FreshStore;
let requests: readonly Settlement[];

/** Traffic of four days, of which all but the last one or two are closed, and half of it comes late. */
beforeAll(async () => {
  store = await openFreshStore();
  const accountId = await store.makeAccount(1_000_000_000n);
  const ledger = await store.openLedger();
  await ledger.extendLease(balancePool(accountId), 1_000_000_000n);
  requests = Array.from({ length: 200 }, (_, index) =>
    sampleSettlement({
      accountId,
      keyId: KEYS[index % 2] ?? "",
      createdAt: new Date(TODAY - 3 * DAY_MS + ((index * 7919) % 300) * QUARTER_MS),
      status: index % 5 === 0 ? 502 : 200,
      cost: index % 5 === 0 ? 0n : BigInt(index),
    }),
  );
  await ledger.write(requests.slice(0, 100));
  expect(await closeUsageDays(store.database)).toBe(true);
  await ledger.write(requests.slice(100));
});
afterAll(() => store.close());

function plainUseOf(id: string, since: number) {
  const mine = requests.filter(({ keyId }) => keyId === id);
  const sum = (some: readonly Settlement[]) => some.reduce((total, { cost }) => total + cost, 0n);
  return {
    requests: BigInt(mine.filter(({ status }) => status < 400).length),
    spent: sum(mine),
    spentSince: sum(mine.filter(({ createdAt }) => createdAt.getTime() >= since)),
  };
}

describe("what was done with a key", () => {
  it("is what its requests add up to, since any quarter of an hour at which a period may begin", async () => {
    const since = fc.integer({ min: -5 * 96, max: 96 }).map((quarter) => TODAY + quarter * QUARTER_MS);
    await fc.assert(
      fc.asyncProperty(since, since, async (first, second) => {
        const asked = [first, second].map((at, index) => ({ id: KEYS[index] ?? "", since: new Date(at) }));
        expect(await readKeyUses(store.database, asked)).toEqual(
          asked.map(({ id, since: at }) => plainUseOf(id, at.getTime())),
        );
      }),
      { numRuns: 100 },
    );
  });

  it("counts from the beginning where no moment is named, and in the order of the keys", async () => {
    const asked = [...KEYS, newId()].toReversed().map((id) => ({ id, since: undefined }));
    expect(await readKeyUses(store.database, asked)).toEqual(
      asked.map(({ id }) => plainUseOf(id, -Infinity)),
    );
    expect(await readKeyUses(store.database, [])).toEqual([]);
  });
});
