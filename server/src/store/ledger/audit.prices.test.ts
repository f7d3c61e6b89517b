import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { priceOf } from "@trunkline/core/price.ts";
import { anyPrice, anyUsage } from "@trunkline/testing/any-price.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { priceSettlements } from "../../../test/support/priced-settlements.ts";
import { auditLedger } from "./audit.ts";
import type { PostgresLedger } from "./ledger.ts";

const PLENTY = 9n * 10n ** 18n;

let store: FreshStore;
let ledger: PostgresLedger;
let accountId: string;

beforeAll(async () => {
  store = await openFreshStore();
  accountId = await store.makeAccount(PLENTY);
  ledger = await store.openLedger();
  await ledger.extendLease(balancePool(accountId), PLENTY);
});
afterAll(() => store.close());

const findings = async () => (await auditLedger(store.database)).findings;
const wrongPrices = async () => (await findings()).find(({ check }) => check === "prices");

async function tamper(statement: string): Promise<void> {
  await store.database.transaction(async (connection) => {
    await connection.query("SET LOCAL session_replication_role = replica");
    await connection.query(statement);
  });
}

it("the audit reckons every cost as it was charged, to the nano-credit", { timeout: 60_000 }, async () => {
  const keyId = newId();
  let written = 0n;
  const answers = fc.array(fc.tuple(anyPrice, anyUsage), { minLength: 10, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(answers, async (used) => {
      for (const [price, usage] of used) {
        const settle = await priceSettlements(store, price);
        const cost = priceOf(price, usage);
        await ledger.write([settle({ accountId, keyId, ...usage, cost })]);
        written++;
      }
      expect((await findings()).filter(({ verdict }) => verdict !== "sound")).toEqual([]);
    }),
    { numRuns: 10, endOnFailure: true },
  );

  await tamper("UPDATE requests SET cost = cost + 1, held = held + 1");
  expect(await wrongPrices()).toMatchObject({ verdict: "broken", count: written });
  await tamper("UPDATE requests SET cost = greatest(cost - 2, 0)");
  const paid = await store.database.query<{ count: bigint }>(
    // What was for nothing is right again.
    "SELECT count(*) AS count FROM requests WHERE held > 1",
  );
  expect(await wrongPrices()).toMatchObject({ verdict: "broken", count: paid[0]?.count });
});
