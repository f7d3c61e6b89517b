import { Fault } from "@trunkline/core/fault.ts";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { explainInsufficientFunds } from "../../ledger/billing/account-funds.ts";
import { releaseInstance } from "../instances.ts";
import { debitAccount } from "./debts.ts";
import { grantCredits } from "./ledger.ts";

let store: FreshStore;

beforeAll(async () => {
  store = await openFreshStore();
});
afterAll(() => store.close());

const debit = (accountId: string, amount: bigint) =>
  store.database.transaction((connection) => debitAccount(connection, "refund", accountId, amount, "an order"));
const grant = (accountId: string, amount: bigint) =>
  store.database.transaction((connection) => grantCredits(connection, accountId, amount, "test"));

describe("a refund", () => {
  it("is taken from the balance where that covers it", async () => {
    const accountId = await store.makeAccount(100n);
    const ledger = await store.openLedger();
    expect((await debit(accountId, 60n)).map(({ kind }) => kind)).toEqual(["refund"]);
    expect(await ledger.readPool(balancePool(accountId))).toMatchObject({ total: 40n });
    expect(await ledger.readDebt(accountId)).toBe(0n);
  });

  it("becomes a debt where the balance does not cover it, which incoming credits pay first", async () => {
    const accountId = await store.makeAccount(100n);
    const ledger = await store.openLedger();
    expect((await debit(accountId, 250n)).map(({ kind }) => kind)).toEqual(["refund", "debt"]);
    expect(await ledger.readDebt(accountId)).toBe(150n);
    await grant(accountId, 100n);
    expect(await ledger.readDebt(accountId)).toBe(50n);
    expect(await ledger.extendLease(balancePool(accountId), 1n)).toBe(0n);
    const lack = new Fault("insufficient_balance", "This costs 1 credit.");
    await expect(explainInsufficientFunds(ledger, accountId, lack)).rejects.toThrow(
      /owes 0.00000005 credits after a refund/,
    );
    await grant(accountId, 60n);
    expect(await ledger.readDebt(accountId)).toBe(0n);
    expect(await ledger.readPool(balancePool(accountId))).toMatchObject({ total: 10n });
    expect((await debit(await store.makeAccount(), 5n)).map(({ kind }) => kind)).toEqual(["debt"]);
  });

  it("is paid by leases as they return, by an instance or in the name of a dead one", async () => {
    const accountId = await store.makeAccount(1_000n);
    const dead = newId();
    const [living, died] = [await store.openLedger(), await store.openLedger(dead)];
    await living.extendLease(balancePool(accountId), 600n);
    await died.extendLease(balancePool(accountId), 400n);
    await debit(accountId, 900n);
    expect(await living.readDebt(accountId)).toBe(900n);
    await living.write([sampleSettlement({ accountId, keyId: await store.makeKey(accountId), cost: 50n })]);
    await living.returnLease(balancePool(accountId), 550n);
    expect(await living.readDebt(accountId)).toBe(350n);
    await store.database.transaction((connection) => releaseInstance(connection, dead));
    expect(await living.readDebt(accountId)).toBe(0n);
    expect(await living.readPool(balancePool(accountId))).toEqual({ total: 50n, unleased: 50n, mine: 0n });
  });
});
