import { type BudgetPool, balancePool, LeaseLost } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { expectSoundLedger } from "../../../test/support/ledger-state.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { releaseInstance } from "../instances.ts";
import { PostgresIdempotentRuns } from "./idempotent-runs.ts";

let store: FreshStore;

beforeAll(async () => {
  store = await openFreshStore();
});
afterEach(() => expectSoundLedger(store.database));
afterAll(() => store.close());

/** An instance that has leased of an account, and is taken for dead when a test says so. */
async function instanceWith(balance: bigint, leased: bigint) {
  const [accountId, instanceId] = [await store.makeAccount(balance), newId()];
  const keyId = await store.makeKey(accountId);
  const ledger = await store.openLedger(instanceId);
  await ledger.extendLease(balancePool(accountId), leased);
  const budget: BudgetPool = { kind: "budget", keyId, period: "total", startsAt: undefined, limit: 100n };
  return {
    accountId,
    keyId,
    instanceId,
    ledger,
    budget,
    pool: balancePool(accountId),
    settle: (cost: bigint, more = {}) => sampleSettlement({ accountId, keyId, cost, ...more }),
    /** And it comes back at once. */
    takeForDead: async () => {
      await store.database.transaction((connection) => releaseInstance(connection, instanceId));
      await store.database.query("INSERT INTO instances (id) VALUES ($1)", [instanceId]);
    },
  };
}

describe("a living instance that was taken for dead", () => {
  it("leases again what its charges need, and says that its leases have changed", async () => {
    const { ledger, pool, settle, takeForDead } = await instanceWith(1_000n, 500n);
    await takeForDead();
    expect(await ledger.write([settle(60n), settle(40n)])).toEqual({ lost: new Set(), leasesChanged: true });
    expect(await ledger.readPool(pool)).toMatchObject({ total: 900n });
    expect(await ledger.write([settle(0n)])).toMatchObject({ leasesChanged: false });
  });

  it("charges nothing where its money has gone to another instance", async () => {
    const { accountId, ledger, pool, settle, takeForDead } = await instanceWith(100n, 100n);
    await takeForDead();
    const other = await store.openLedger();
    expect(await other.extendLease(pool, 80n)).toBe(80n);
    await expect(ledger.write([settle(60n)])).rejects.toThrow(LeaseLost);
    expect(await store.database.query("SELECT 1 FROM requests WHERE account_id = $1", [accountId])).toEqual([]);
    expect(await other.readPool(pool)).toEqual({ total: 100n, unleased: 20n, mine: 80n });
  });

  it("keeps within a budget that others have leased meanwhile", async () => {
    const { ledger, budget, settle, takeForDead } = await instanceWith(1_000n, 500n);
    expect(await ledger.extendLease(budget, 100n)).toBe(100n);
    await takeForDead();
    const other = await store.openLedger();
    expect(await other.extendLease(budget, 70n)).toBe(70n);
    await expect(ledger.write([settle(40n, { budget })])).rejects.toThrow(LeaseLost);
    expect(await ledger.write([settle(30n, { budget })])).toMatchObject({ leasesChanged: true });
    expect(await other.readPool(budget)).toEqual({ total: 70n, unleased: 0n, mine: 70n });
  });

  it("neither charges nor records a run whose idempotency key belongs to another run", async () => {
    const { accountId, ledger, pool, instanceId, settle, takeForDead } = await instanceWith(1_000n, 500n);
    const mine = settle(10n, { idempotent: { key: "k", answer: { from: "mine" } } });
    const claim = { accountId, path: mine.path, key: "k", fingerprint: Buffer.alloc(32) };
    await new PostgresIdempotentRuns(store.database, instanceId).claim({
      ...claim,
      requestId: mine.requestId,
    });
    await takeForDead();
    const other = new PostgresIdempotentRuns(store.database, newId());
    expect(await other.claim({ ...claim, requestId: newId() })).toEqual({ kind: "mine" });
    const neighbour = settle(5n);
    const outcome = await ledger.write([mine, neighbour]);
    expect(outcome.lost).toEqual(new Set([mine.requestId]));
    expect(await ledger.readPool(pool)).toMatchObject({ total: 995n });
    expect(await other.claim({ ...claim, requestId: newId() })).toEqual({ kind: "running" });
  });
});
