import { balancePool } from "@trunkline/core/funds-pool.ts";
import { priceOf } from "@trunkline/core/price.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { priceSettlements, SAMPLE_PRICE } from "../../../test/support/priced-settlements.ts";
import { settlementOfSegments } from "../../../test/support/settled-segments.ts";
import { insertPrice, readPrice } from "../models/price-versions.ts";
import { auditLedger } from "./audit.ts";
import type { PostgresLedger } from "./ledger.ts";
import { PostgresPayouts } from "./payouts.ts";
import { PostgresProviderEarnings } from "./provider-earnings.ts";
import { sealLedger } from "./seal-ledger.ts";

const FEE = 100_000;
const RICH = 1_000_000_000_000n;

let store: FreshStore;
let ledger: PostgresLedger;
let earnings: PostgresProviderEarnings;
let client: string;

beforeAll(async () => {
  store = await openFreshStore();
  ledger = await store.openLedger();
  earnings = new PostgresProviderEarnings(store.database);
  client = await store.makeAccount(RICH);
  await ledger.extendLease(balancePool(client), RICH / 2n);
});
afterAll(() => store.close());

async function collect(): Promise<number> {
  await sealLedger(store.database);
  return earnings.collect(FEE);
}

/** The checks of the ledger that do not hold, each with its first example. */
async function broken() {
  const { findings } = await auditLedger(store.database);
  const failed = findings.filter(({ verdict }) => verdict !== "sound" && verdict !== "note");
  return Object.fromEntries(failed.map(({ check, examples }) => [check, examples[0]]));
}

async function tamper(statement: string, values: readonly unknown[] = []): Promise<void> {
  await store.database.transaction(async (connection) => {
    await connection.query("SET LOCAL session_replication_role = replica");
    await connection.query(statement, values);
  });
}

async function makeProvider() {
  const id = await store.makeAccount();
  const settle = await priceSettlements(store, SAMPLE_PRICE, id);
  return {
    id,
    settle,
    charge: (...costs: bigint[]) =>
      ledger.write(costs.map((cost) => settle({ accountId: client, keyId: client, cost }))),
    owed: async () => (await earnings.standing(id)).payable,
  };
}

describe("a charge of another account's model", () => {
  it("earns its provider what was paid less the fee, rounded down, once", async () => {
    const provider = await makeProvider();
    await provider.charge(1_000n, 1n, 19n);
    expect(await collect()).toBe(3);
    // 900, 0 and 17: a tenth of one nano-credit, and of 19, is rounded up for the service.
    expect(await provider.owed()).toBe(917n);
    expect(await collect()).toBe(0);
    expect(await provider.owed()).toBe(917n);
    expect(await broken()).toEqual({});
  });

  it("is earned once, by any number of instances that collect at the same time", async () => {
    const provider = await makeProvider();
    await provider.charge(...Array.from({ length: 50 }, (_, place) => BigInt(place + 1)));
    await sealLedger(store.database);
    const counts = await Promise.all(Array.from({ length: 8 }, () => earnings.collect(FEE)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(50);
    const expected = Array.from({ length: 50 }, (_, place) => (BigInt(place + 1) * 9n) / 10n);
    expect(await provider.owed()).toBe(expected.reduce((sum, net) => sum + net, 0n));
    expect(await broken()).toEqual({});
  });

  it("is split by the fee that was agreed with its provider", async () => {
    const provider = await makeProvider();
    await earnings.setFee(provider.id, 333_333);
    await provider.charge(1_000_000n);
    await collect();
    expect(await provider.owed()).toBe(666_667n);
    await earnings.setFee(provider.id, 1_000_000);
    await provider.charge(1_000_000n);
    await collect();
    expect(await provider.owed()).toBe(666_667n);
    await earnings.setFee(provider.id, undefined);
    await provider.charge(10n);
    await collect();
    expect(await provider.owed()).toBe(666_676n);
    expect(await broken()).toEqual({});
  });

  it("is split leg by leg, each to the provider of its model", async () => {
    const [first, second] = [await makeProvider(), await makeProvider()];
    const usage = { cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, images: 0, audioMs: 0 };
    const uses = [first, second, first].map(({ settle }, place) => ({
      model: `m${place}`,
      price: { ...SAMPLE_PRICE, version: settle({ cost: 0n }).priceVersion ?? "" },
      usage: { ...usage, inputTokens: 101 * (place + 1) },
    }));
    const costs = uses.map(({ price, usage: used }) => priceOf(price, used));
    expect(costs).toEqual([101n, 202n, 303n]);
    await ledger.write([settlementOfSegments(uses, 10_000n, { accountId: client, keyId: client })]);
    expect(await collect()).toBe(3);
    expect(await first.owed()).toBe(90n + 272n);
    expect(await second.owed()).toBe(181n);
    expect(await broken()).toEqual({});
  });

  it("earns nothing where the account uses its own model, its own key, or the operator's model", async () => {
    const provider = await makeProvider();
    const { database } = store;
    await database.query("UPDATE accounts SET operator = true WHERE id = $1", [(await makeProvider()).id]);
    const [operator] = await database.query<{ id: string }>("SELECT id FROM accounts WHERE operator");
    const ofOperator = await priceSettlements(store, SAMPLE_PRICE, operator?.id);
    const ofClient = await priceSettlements(store, SAMPLE_PRICE, client);
    const [model] = await database.query<{ id: string }>("SELECT id FROM models WHERE account_id = $1", [provider.id]);
    await insertPrice(database, model?.id ?? "", { ...SAMPLE_PRICE, version: "new" });
    const version = (await readPrice(database, model?.id ?? ""))?.version ?? "";
    await tamper("UPDATE price_versions SET own_key = true WHERE id = $1", [version]);
    const common = { accountId: client, keyId: client, cost: 500n };
    await ledger.write([
      ofOperator(common),
      ofClient(common),
      provider.settle({ ...common, priceVersion: version }),
      provider.settle({ ...common, cost: 0n }),
    ]);
    expect(await collect()).toBe(0);
    expect(await provider.owed()).toBe(0n);
    expect(await broken()).toEqual({});
  });

  it("leaves the exact rest in the revenue, whatever the costs and the fee", async () => {
    const revenue = async () => {
      const rows = await store.database.query<{ balance: bigint }>(
        "SELECT sum(balance)::bigint AS balance FROM ledger_accounts WHERE kind = 'revenue'",
      );
      return rows[0]?.balance ?? 0n;
    };
    const anyCosts = fc.array(fc.bigInt(1n, 1_000_000n), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(anyCosts, fc.integer({ min: 0, max: 1_000_000 }), async (costs, fee) => {
        const provider = await makeProvider();
        await earnings.setFee(provider.id, fee);
        const before = await revenue();
        await provider.charge(...costs);
        await collect();
        const gross = costs.reduce((sum, cost) => sum + cost, 0n);
        const net = costs.reduce((sum, cost) => sum + (cost * BigInt(1_000_000 - fee)) / 1_000_000n, 0n);
        expect(await provider.owed()).toBe(net);
        expect((await revenue()) - before).toBe(gross - net);
      }),
      { numRuns: 12 },
    );
    expect(await broken()).toEqual({});
  });
});

describe("a payout", () => {
  it("is taken once when it is requested, and paid once", async () => {
    const payouts = new PostgresPayouts(store.database);
    const provider = await makeProvider();
    await provider.charge(10_000n);
    await collect();
    expect(await payouts.begin(provider.id, undefined, 1n)).toEqual({ outcome: "no_destination" });
    await earnings.setDestination(provider.id, "bank", "DE00 1");
    expect(await payouts.begin(provider.id, undefined, 9_001n)).toEqual({ outcome: "too_little", payable: 9_000n });
    expect(await payouts.begin(provider.id, 9_001n, 1n)).toEqual({ outcome: "too_little", payable: 9_000n });
    const begun = await Promise.all(Array.from({ length: 6 }, () => payouts.begin(provider.id, 5_000n, 1n)));
    expect(begun.map(({ outcome }) => outcome).toSorted()).toEqual(["begun", ...Array(5).fill("open")]);
    const [payout] = await payouts.list({ accountId: provider.id }, 10, undefined);
    expect(payout).toMatchObject({ amount: 5_000n, state: "requested", destination: "DE00 1" });
    const id = payout?.id ?? "";
    const sent = { state: "sent", reference: `R ${id}`, from: ["approved"] } as const;
    expect(await payouts.end(id, sent)).toMatchObject({ state: "requested" });
    expect(await payouts.approve(id)).toMatchObject({ state: "approved" });
    const ends = await Promise.all([
      ...Array.from({ length: 4 }, () => payouts.end(id, sent)),
      payouts.end(id, { state: "failed", reference: "no", from: ["requested", "approved"] }),
    ]);
    expect(new Set(ends.map((end) => (typeof end === "object" ? end.state : end))).size).toBe(1);
    const standing = await earnings.standing(provider.id);
    expect(standing.pending).toBe(0n);
    expect(standing.payable + standing.paid).toBe(9_000n);
    expect(await broken()).toEqual({});
  });

  it("that failed is owed again, and another one can be requested", async () => {
    const payouts = new PostgresPayouts(store.database);
    const provider = await makeProvider();
    await provider.charge(10_000n);
    await collect();
    await earnings.setDestination(provider.id, "bank", "DE00 2");
    for (const round of [1, 2]) {
      const begun = await payouts.begin(provider.id, undefined, 1n);
      if (begun.outcome !== "begun") throw new Error(begun.outcome);
      expect(await earnings.standing(provider.id)).toMatchObject({ payable: 0n, pending: 9_000n });
      const failed = { state: "failed", reference: `${round}`, from: ["requested"] } as const;
      expect(await payouts.end(begun.payout.id, failed)).toMatchObject({ state: "failed", reference: `${round}` });
      expect(await earnings.standing(provider.id)).toMatchObject({ payable: 9_000n, pending: 0n, paid: 0n });
    }
    expect(await broken()).toEqual({});
  });

  it("can't have the reference of another one that was paid", async () => {
    const payouts = new PostgresPayouts(store.database);
    const ids: string[] = [];
    for (const destination of ["A", "B"]) {
      const provider = await makeProvider();
      await provider.charge(10n);
      await collect();
      await earnings.setDestination(provider.id, "bank", destination);
      const begun = await payouts.begin(provider.id, undefined, 1n);
      if (begun.outcome !== "begun") throw new Error(begun.outcome);
      ids.push(begun.payout.id);
    }
    const sent = { state: "sent", reference: "same", from: ["requested"] } as const;
    await payouts.end(ids[0] ?? "", sent);
    expect(await payouts.end(ids[1] ?? "", sent)).toBe("reference_taken");
    expect(await broken()).toEqual({});
  });
});

describe("a provider's months", () => {
  it("are exact: what was owed, and the net, less what was paid, is owed", async () => {
    const payouts = new PostgresPayouts(store.database);
    const provider = await makeProvider();
    await provider.charge(10_000n, 777n);
    await collect();
    await tamper("UPDATE provider_earnings SET earned_at = '2026-01-31T23:30:00Z' WHERE account_id = $1", [
      provider.id,
    ]);
    await provider.charge(100n);
    await collect();
    await tamper("UPDATE provider_earnings SET earned_at = '2026-02-10Z' WHERE account_id = $1 AND gross = 100", [
      provider.id,
    ]);
    await earnings.setDestination(provider.id, "bank", "DE00 3");
    const begun = await payouts.begin(provider.id, 9_000n, 1n);
    if (begun.outcome !== "begun") throw new Error(begun.outcome);
    await payouts.end(begun.payout.id, { state: "sent", reference: "Feb-1", from: ["requested"] });
    await tamper("UPDATE payouts SET ended_at = '2026-02-11Z' WHERE id = $1", [begun.payout.id]);
    const january = {
      month: "2026-01",
      opening: 0n,
      requests: 2,
      gross: 10_777n,
      net: 9_699n,
      paid: 0n,
      closing: 9_699n,
    };
    const february = {
      month: "2026-02",
      opening: 9_699n,
      requests: 1,
      gross: 100n,
      net: 90n,
      paid: 9_000n,
      closing: 789n,
    };
    expect(await earnings.months(provider.id, "UTC")).toEqual([february, january]);
    expect(await earnings.statement(provider.id, "2026-02", "UTC")).toMatchObject({
      ...february,
      byModel: [{ requests: 1, gross: 100n, net: 90n }],
      payouts: [{ payoutId: begun.payout.id, amount: 9_000n, reference: "Feb-1" }],
    });
    expect(await earnings.statement(provider.id, "2026-03", "UTC")).toBeUndefined();
    // An hour later it is February there.
    expect((await earnings.months(provider.id, "Europe/Berlin")).map(({ month }) => month)).toEqual(["2026-02"]);
  });
});

describe("the audit", () => {
  it("finds an earning that was left out, changed or made up, and a payout that was", async () => {
    const provider = await makeProvider();
    await provider.charge(1_000n);
    await collect();
    await tamper("UPDATE provider_earnings SET net = net + 1 WHERE account_id = $1", [provider.id]);
    expect(Object.keys(await broken())).toEqual(["earnings", "earning-movements"]);
    await tamper("DELETE FROM provider_earnings WHERE account_id = $1", [provider.id]);
    const found = await broken();
    expect(Object.keys(found)).toEqual(["earnings", "earning-movements"]);
    expect(found.earnings).toContain("earned nothing");
    await tamper("UPDATE payouts SET amount = amount + 1 WHERE state = 'sent' AND reference = 'Feb-1'");
    expect(Object.keys(await broken())).toContain("payouts");
  });
});
