import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { expectSoundBooks } from "../../../test/support/books.ts";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { grantCredits } from "./ledger.ts";

let store: FreshStore;

beforeAll(async () => {
  store = await openFreshStore();
});
afterEach(() => expectSoundBooks(store.database));
afterAll(() => store.close());

/** Whether some statement is held up by another's lock. */
async function isSomeoneWaiting(): Promise<boolean> {
  const sql =
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  return (await store.database.query(sql)).length > 0;
}

describe("a grant", () => {
  it("puts credits on an account, again and again", async () => {
    const account = await store.makeAccount();
    const ledger = await store.openLedger();
    expect(await ledger.readPool(balancePool(account))).toMatchObject({ total: 0n, unleased: 0n });
    await grantCredits(store.database, account, 5n, "a first one");
    await grantCredits(store.database, account, 7n, "a second one");
    expect(await ledger.readPool(balancePool(account))).toMatchObject({ total: 12n, unleased: 12n });
  });

  it.each([0n, -5n])("of %d is refused, and nothing moves", async (amount) => {
    const account = await store.makeAccount(100n);
    const ledger = await store.openLedger();
    await expect(grantCredits(store.database, account, amount, "odd")).rejects.toThrow();
    expect(await ledger.readPool(balancePool(account))).toMatchObject({ total: 100n, unleased: 100n });
  });

  it("to an account that does not exist is refused", async () => {
    await expect(grantCredits(store.database, newId(), 5n, "nobody")).rejects.toThrow();
  });

  it("arrives whole although many come at once", async () => {
    const account = await store.makeAccount();
    await Promise.all(
      Array.from({ length: 20 }, () => grantCredits(store.database, account, 3n, "one of many")),
    );
    expect((await (await store.openLedger()).readPool(balancePool(account))).total).toBe(60n);
  });
});

describe("a lease", () => {
  it("is an eighth of what is left while there is plenty, and at least what is needed", async () => {
    const account = await store.makeAccount(800n);
    const ledger = await store.openLedger();
    expect(await ledger.extendLease(balancePool(account), 10n)).toBe(100n);
    expect(await ledger.extendLease(balancePool(account), 10n)).toBe(87n);
    expect(await ledger.extendLease(balancePool(account), 500n)).toBe(500n);
    expect((await ledger.readPool(balancePool(account))).mine).toBe(687n);
    expect(await ledger.readPool(balancePool(account))).toMatchObject({ total: 800n, unleased: 113n });
  });

  it("takes the very last credit, and then moves nothing", async () => {
    const account = await store.makeAccount(10n);
    const ledger = await store.openLedger();
    expect(await ledger.extendLease(balancePool(account), 10n)).toBe(10n);
    expect(await ledger.extendLease(balancePool(account), 1n)).toBe(0n);
    expect(await ledger.readPool(balancePool(account))).toMatchObject({ total: 10n, unleased: 0n });
  });

  it("moves nothing where the balance is below the need, also for an account unknown to the books", async () => {
    const ledger = await store.openLedger();
    expect(await ledger.extendLease(balancePool(await store.makeAccount(9n)), 10n)).toBe(0n);
    expect(await ledger.extendLease(balancePool(await store.makeAccount()), 1n)).toBe(0n);
    expect(await ledger.extendLease(balancePool(newId()), 1n)).toBe(0n);
    expect((await ledger.readPool(balancePool(newId()))).mine).toBe(0n);
  });

  it("is each instance's own", async () => {
    const account = await store.makeAccount(80n);
    const [one, other] = [await store.openLedger(), await store.openLedger()];
    await one.extendLease(balancePool(account), 30n);
    expect((await one.readPool(balancePool(account))).mine).toBe(30n);
    expect((await other.readPool(balancePool(account))).mine).toBe(0n);
    expect(await other.readPool(balancePool(account))).toMatchObject({ total: 80n, unleased: 50n });
  });

  it("never overdraws, however many instances take at once", async () => {
    const account = await store.makeAccount(1_000n);
    const ledgers = await Promise.all(Array.from({ length: 4 }, () => store.openLedger()));
    const taken = await Promise.all(
      Array.from(
        { length: 80 },
        async (_, index) =>
          (await ledgers[index % 4]?.extendLease(balancePool(account), BigInt(1 + ((index * 7) % 40)))) ?? 0n,
      ),
    );
    const sum = taken.reduce((total, amount) => total + amount, 0n);
    const leases = await Promise.all(
      ledgers.map(async (ledger) => (await ledger.readPool(balancePool(account))).mine),
    );
    expect(leases.reduce((total, amount) => total + amount, 0n)).toBe(sum);
    const { total, unleased } = (await ledgers[0]?.readPool(balancePool(account))) ?? {
      total: 0n,
      unleased: -1n,
    };
    expect(total).toBe(1_000n);
    expect(unleased).toBe(1_000n - sum);
    expect(unleased).toBeGreaterThanOrEqual(0n);
    // Whoever got nothing asked for more than was left at that moment: what is left now is less than the largest wish.
    expect(unleased).toBeLessThan(40n);
  });

  it("waits for a grant that is on its way, and then reckons with it", async () => {
    const account = await store.makeAccount(8n);
    const ledger = await store.openLedger();
    const lease = await store.database.transaction(async (connection) => {
      await grantCredits(connection, account, 1_128n, "on its way");
      const waiting = ledger.extendLease(balancePool(account), 5n);
      await expect.poll(isSomeoneWaiting).toBe(true);
      return { waiting };
    });
    expect(await lease.waiting).toBe(142n);
    expect(await ledger.readPool(balancePool(account))).toMatchObject({ total: 1_136n, unleased: 994n });
  });
});

describe("the history", () => {
  it.each([
    "UPDATE ledger_transfers SET amount = amount",
    "DELETE FROM ledger_transfers",
    "TRUNCATE ledger_transfers CASCADE",
  ])("can't be rewritten by %s", async (sql) => {
    await store.makeAccount(5n);
    await expect(store.database.query(sql)).rejects.toThrow("append-only");
  });

  it.each([
    "UPDATE price_versions SET per_image = 0",
    "DELETE FROM price_versions",
    "TRUNCATE price_versions",
  ])("of prices can't be rewritten by %s", async (sql) => {
    await expect(store.database.query(sql)).rejects.toThrow("append-only");
  });

  it("does not let a balance fall below zero, even by hand", async () => {
    const account = await store.makeAccount(5n);
    const sql = "UPDATE ledger_accounts SET balance = -1 WHERE account_id = $1";
    await expect(store.database.query(sql, [account])).rejects.toMatchObject({ code: "23514" });
  });
});
