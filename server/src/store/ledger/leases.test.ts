import { type BudgetPool, balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { releaseInstance } from "../instances.ts";
import { sweepBudgetLeases } from "./leases.ts";

const DAY = Date.UTC(2026, 0, 15);
const DAY_MS = 86_400_000;

let store: FreshStore;

beforeAll(async () => {
  store = await openFreshStore();
});
afterAll(() => store.close());

async function budgetOf(limit: bigint, change: Partial<BudgetPool> = {}) {
  const accountId = await store.makeAccount(10_000n);
  const keyId = await store.makeKey(accountId);
  const pool: BudgetPool = { kind: "budget", keyId, period: "day", startsAt: DAY, limit, ...change };
  const [one, two] = await Promise.all([store.openLedger(), store.openLedger()]);
  await one.extendLease(balancePool(accountId), 5_000n);
  await two.extendLease(balancePool(accountId), 1_000n);
  const settle = (cost: bigint, at = DAY + 1_000, budget: BudgetPool | undefined = pool) =>
    sampleSettlement({ accountId, keyId, cost, createdAt: new Date(at), budget });
  return { accountId, keyId, pool, one, two, settle };
}

describe("a key's budget in the ledger", () => {
  it("is leased in amounts that shrink with what is left", async () => {
    const { pool, one, two } = await budgetOf(800n);
    expect(await one.extendLease(pool, 1n)).toBe(100n);
    expect(await two.extendLease(pool, 1n)).toBe(87n);
    expect(await two.extendLease(pool, 600n)).toBe(600n);
    expect(await one.readPool(pool)).toEqual({ total: 800n, unleased: 13n, mine: 100n });
    expect(await one.extendLease(pool, 14n)).toBe(0n);
    expect(await one.extendLease(pool, 13n)).toBe(13n);
  });

  it("is smaller by what was charged, by the instance that had leased it", async () => {
    const { pool, one, settle } = await budgetOf(800n);
    await one.extendLease(pool, 100n);
    await one.write([settle(30n), settle(20n)]);
    expect(await one.readPool(pool)).toEqual({ total: 750n, unleased: 700n, mine: 50n });
  });

  it("counts what the key spent without it, since its period began", async () => {
    const { pool, one, settle } = await budgetOf(800n);
    await one.write([settle(30n, DAY - 1, undefined), settle(7n, DAY, undefined)]);
    expect(await one.readPool(pool)).toMatchObject({ total: 793n });
    expect(await one.readPool({ ...pool, period: "total", startsAt: undefined })).toMatchObject({
      total: 763n,
    });
  });

  it("never leases more than its limit, with many concurrent requests", async () => {
    const { pool, one, two } = await budgetOf(1_000n);
    const moved = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : two).extendLease(pool, 30n)),
    );
    const sum = moved.reduce((total, amount) => total + amount, 0n);
    expect(sum).toBeLessThanOrEqual(1_000n);
    expect(sum).toBeGreaterThan(970n);
    expect(await one.readPool(pool)).toMatchObject({ total: 1_000n, unleased: 1_000n - sum });
  });

  it("takes back what is not needed, and no more than is there", async () => {
    const { pool, one } = await budgetOf(800n);
    await one.extendLease(pool, 1n);
    await one.returnLease(pool, 60n);
    expect(await one.readPool(pool)).toEqual({ total: 800n, unleased: 760n, mine: 40n });
    await one.returnLease(pool, 60n);
    expect(await one.readPool(pool)).toEqual({ total: 800n, unleased: 800n, mine: 0n });
  });

  it("is below zero where it was lowered under what is leased, and leases nothing", async () => {
    const { pool, one, two } = await budgetOf(800n);
    await one.extendLease(pool, 500n);
    const lowered = { ...pool, limit: 300n };
    expect(await two.readPool(lowered)).toEqual({ total: 300n, unleased: -200n, mine: 0n });
    expect(await two.extendLease(lowered, 1n)).toBe(0n);
  });

  it("counts a lease of another period that may be spent in this one", async () => {
    const { pool, one, two } = await budgetOf(800n);
    await one.extendLease(pool, 500n);
    const month = { ...pool, period: "month" as const, startsAt: Date.UTC(2026, 0, 1) };
    expect(await two.readPool(month)).toEqual({ total: 800n, unleased: 300n, mine: 0n });
    const nextDay = { ...pool, startsAt: DAY + DAY_MS };
    expect(await two.readPool(nextDay)).toEqual({ total: 800n, unleased: 800n, mine: 0n });
  });

  it("has the lease of a dead instance back at once, and deletes the empty lease after a day", async () => {
    const { keyId, pool, two } = await budgetOf(800n);
    const gone = newId();
    const dead = await store.openLedger(gone);
    await dead.extendLease(pool, 300n);
    await store.database.transaction((connection) => releaseInstance(connection, gone));
    expect(await two.readPool(pool)).toEqual({ total: 800n, unleased: 800n, mine: 0n });
    const leases = () => store.database.query("SELECT 1 FROM budget_leases WHERE key_id = $1", [keyId]);
    await sweepBudgetLeases(store.database);
    expect(await leases()).toHaveLength(1);
    await store.database.query("UPDATE budget_leases SET touched_at = now() - interval '2 days' WHERE key_id = $1", [
      keyId,
    ]);
    await sweepBudgetLeases(store.database);
    expect(await leases()).toHaveLength(0);
  });
});

describe("a balance in the ledger", () => {
  it("is leased in eighths of what is left, or as much as is needed, or not at all", async () => {
    const pool = balancePool(await store.makeAccount(800n));
    const [one, two] = await Promise.all([store.openLedger(), store.openLedger()]);
    expect(await one.extendLease(pool, 1n)).toBe(100n);
    expect(await two.extendLease(pool, 1n)).toBe(87n);
    expect(await one.extendLease(pool, 600n)).toBe(600n);
    expect(await one.readPool(pool)).toEqual({ total: 800n, unleased: 13n, mine: 700n });
    expect(await two.extendLease(pool, 14n)).toBe(0n);
    expect(await two.extendLease(pool, 13n)).toBe(13n);
    expect(await two.extendLease(pool, 0n)).toBe(0n);
    expect(await one.extendLease(balancePool(newId()), 0n)).toBe(0n);
  });

  it("never leases more than there is, with many concurrent requests", async () => {
    const pool = balancePool(await store.makeAccount(1_000n));
    const [one, two] = await Promise.all([store.openLedger(), store.openLedger()]);
    const moved = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : two).extendLease(pool, 30n)),
    );
    const sum = moved.reduce((total, amount) => total + amount, 0n);
    expect(sum).toBeGreaterThan(970n);
    expect(await one.readPool(pool)).toMatchObject({ total: 1_000n, unleased: 1_000n - sum });
  });

  it("is not leased by an instance that is not registered", async () => {
    const pool = balancePool(await store.makeAccount(800n));
    const instanceId = newId();
    const ledger = await store.openLedger(instanceId);
    await store.database.query("DELETE FROM instances WHERE id = $1", [instanceId]);
    await expect(ledger.extendLease(pool, 1n)).rejects.toMatchObject({
      type: "unavailable",
      details: { retryAfterSeconds: 1 },
    });
    expect(await ledger.readPool(pool)).toEqual({ total: 800n, unleased: 800n, mine: 0n });
  });
});
