import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { FREE_PRICE, type Price } from "@trunkline/core/model.ts";
import type { Usage } from "@trunkline/core/price.ts";
import { anyPrice, anyUsage } from "@trunkline/testing/any-price.ts";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { expectSoundBooks } from "../../../test/support/books.ts";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { priceSettlements } from "../../../test/support/priced-settlements.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { type PricedUse, settlementOfLegs } from "../../../test/support/settled-legs.ts";
import { UsageReader } from "../usage/records.ts";
import { RequestLog } from "../usage/request-log.ts";
import { auditLedger } from "./audit.ts";

const PLENTY = 10n ** 18n;
const USAGE: Usage = {
  inputTokens: 10,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 20,
  images: 0,
  audioMs: 0,
};

let store: FreshStore;
let cheap: PricedUse;
let dear: PricedUse;

/** A model with a price of its own, of which this was used. */
async function useOf(model: string, price: Omit<Price, "version">, usage = USAGE): Promise<PricedUse> {
  const settle = await priceSettlements(store, price);
  return { model, price: { ...price, version: settle({ cost: 0n }).priceVersion ?? "" }, usage };
}

beforeAll(async () => {
  store = await openFreshStore();
  cheap = await useOf("cheap", { ...FREE_PRICE, inputPerMillion: 1_000_000n, outputPerMillion: 1_000_000n });
  dear = await useOf("dear", { ...FREE_PRICE, inputPerMillion: 10_000_000n, outputPerMillion: 10_000_000n });
});
afterEach(() => expectSoundBooks(store.database));
afterAll(() => store.close());

async function desk(balance = PLENTY) {
  const [accountId, keyId] = [await store.makeAccount(balance), newId()];
  const ledger = await store.openLedger();
  await ledger.extendLease(balancePool(accountId), balance);
  const quarters = () =>
    store.database.query(
      `SELECT model, requests, errors, input_tokens, output_tokens, cost FROM usage_quarters
       WHERE account_id = $1 ORDER BY model`,
      [accountId],
    );
  return { accountId, keyId, ledger, quarters };
}

const broken = async () =>
  (await auditLedger(store.database)).findings.filter(({ verdict }) => verdict === "broken");

async function tamper(statement: string): Promise<void> {
  await store.database.transaction(async (connection) => {
    await connection.query("SET LOCAL session_replication_role = replica");
    await connection.query(statement);
  });
}

describe("a request of several legs", () => {
  it("is charged once, and each leg is summed for its own model", async () => {
    const { accountId, keyId, ledger, quarters } = await desk(1_000n);
    const settlement = settlementOfLegs([cheap, dear], 500n, { accountId, keyId });
    await ledger.write([
      settlement,
      sampleSettlement({ accountId, keyId, model: "plain", priceVersion: "builtin" }),
    ]);
    expect((await ledger.readPool(balancePool(accountId))).mine).toBe(670n);
    expect(await quarters()).toEqual([
      { model: "cheap", requests: 0n, errors: 0n, input_tokens: 10n, output_tokens: 20n, cost: 30n },
      { model: "dear", requests: 1n, errors: 0n, input_tokens: 10n, output_tokens: 20n, cost: 300n },
      { model: "plain", requests: 1n, errors: 0n, input_tokens: 10n, output_tokens: 20n, cost: 0n },
    ]);
    const record = await new RequestLog(store.database).find(accountId, settlement.requestId);
    expect(record).toMatchObject({ model: "dear", price_version: "legs", cost: 330n, input_tokens: 20n });
    expect(record?.legs).toMatchObject([
      {
        model: "cheap",
        outcome: "cut-off",
        price_version: cheap.price.version,
        cost: 30n,
        output_tokens: 20n,
      },
      { model: "dear", outcome: "answered", price_version: dear.price.version, cost: 300n },
    ]);
  });

  it("is written once, although it is handed in again, apart or together", async () => {
    const { accountId, keyId, ledger, quarters } = await desk(1_000n);
    const settlement = settlementOfLegs([cheap, dear], 500n, { accountId, keyId });
    await ledger.write([settlement, settlement]);
    await ledger.write([settlement]);
    expect((await ledger.readPool(balancePool(accountId))).mine).toBe(670n);
    expect(await quarters()).toMatchObject([{ cost: 30n }, { cost: 300n }]);
  });

  it("is used of its models' shares also where a range cuts through its quarter of an hour", async () => {
    const { accountId, keyId, ledger } = await desk(1_000n);
    const createdAt = new Date("2026-01-15T12:05:00Z");
    await ledger.write([settlementOfLegs([cheap, dear], 500n, { accountId, keyId, createdAt })]);
    const range = { from: new Date("2026-01-15T12:01:00Z"), to: new Date("2026-01-15T12:10:00Z") };
    const usageReader = new UsageReader(store.database);
    expect(await usageReader.breakdown(accountId, "model", range, "UTC")).toMatchObject([
      { group: "dear", requests: 1n, cost: 300n, input_tokens: 10n },
      { group: "cheap", requests: 0n, cost: 30n, input_tokens: 10n },
    ]);
    expect(await usageReader.total(accountId, range)).toMatchObject({ requests: 1n, cost: 330n });
  });
});

describe("the audit", () => {
  it("reckons every leg as it was charged, also where the hold cut it", { timeout: 60_000 }, async () => {
    const { accountId, keyId, ledger } = await desk();
    const uses = fc.array(fc.tuple(anyPrice, anyUsage), { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(uses, fc.nat(120)), { minLength: 3, maxLength: 6 }),
        async (drawn) => {
          for (const [legs, percent] of drawn) {
            const priced: PricedUse[] = [];
            for (const [price, usage] of legs) priced.push(await useOf(newId(), price, usage));
            const whole = settlementOfLegs(priced, PLENTY).cost;
            const held = (whole * BigInt(percent)) / 100n;
            await ledger.write([
              settlementOfLegs(priced, held > 10n ** 13n ? 10n ** 13n : held, { accountId, keyId }),
            ]);
          }
          expect(await broken()).toEqual([]);
        },
      ),
      { numRuns: 10, endOnFailure: true },
    );
  });

  it.each([
    [
      "a leg that costs more than its price",
      "UPDATE request_legs SET cost = cost + 1 WHERE leg = 1",
      ["prices", "legs", "usage-sums"],
    ],
    ["a leg of another price", "UPDATE request_legs SET price_version = '0' WHERE leg = 1", ["prices"]],
    [
      "a leg that used more",
      "UPDATE request_legs SET output_tokens = output_tokens + 1 WHERE leg = 2",
      ["prices", "legs", "usage-sums"],
    ],
    ["a leg that is gone", "DELETE FROM request_legs WHERE leg = 1", ["legs", "usage-sums"]],
    [
      "a leg of another model",
      "UPDATE request_legs SET model = 'other' WHERE leg = 2",
      ["legs", "usage-sums"],
    ],
    [
      "a leg of no request",
      "UPDATE request_legs SET request_id = gen_random_uuid() WHERE leg = 2",
      ["legs", "usage-sums"],
    ],
  ])("finds %s", async (_what, statement, checks) => {
    const { accountId, keyId, ledger } = await desk();
    await ledger.write([settlementOfLegs([cheap, dear], 500n, { accountId, keyId })]);
    expect(await broken()).toEqual([]);
    await store.database.query("CREATE TABLE kept_legs AS SELECT * FROM request_legs");
    await tamper(statement);
    const found = (await broken()).map(({ check }) => check);
    await tamper(
      "DELETE FROM request_legs; INSERT INTO request_legs SELECT * FROM kept_legs; DROP TABLE kept_legs",
    );
    expect(found).toEqual(expect.arrayContaining(checks));
    expect(await broken()).toEqual([]);
  });
});
