import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectSoundBooks, readBooks } from "../../test/books.ts";
import { type FreshStore, openFreshStore } from "../../test/fresh-store.ts";
import { sampleSettlement } from "../../test/sample-settlement.ts";
import { newId } from "../kit/id.ts";
import { Instance } from "./instances.ts";
import { grantCredits, PostgresLedger } from "./ledger.ts";

let store: FreshStore;

beforeAll(async () => {
  store = await openFreshStore();
});
afterAll(() => store.close());

type Step =
  | { readonly act: "grant"; readonly account: number; readonly amount: bigint }
  | { readonly act: "lease"; readonly account: number; readonly instance: number; readonly amount: bigint }
  | {
      readonly act: "charge";
      readonly account: number;
      readonly instance: number;
      readonly costs: readonly bigint[];
    }
  | { readonly act: "repeat" }
  | { readonly act: "leave"; readonly instance: number };

const amount = fc.bigInt({ min: 1n, max: 500n });
const pick = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ act: fc.constant("grant" as const), account: pick, amount }),
  fc.record({ act: fc.constant("lease" as const), account: pick, instance: pick, amount }),
  fc.record({
    act: fc.constant("charge" as const),
    account: pick,
    instance: pick,
    costs: fc.array(fc.bigInt({ min: 0n, max: 80n }), { minLength: 1, maxLength: 5 }),
  }),
  fc.record({ act: fc.constant("repeat" as const) }),
  fc.record({ act: fc.constant("leave" as const), instance: pick }),
);

/** Two accounts and two instances; an instance that left is followed by a new one. */
async function stage() {
  const accounts = [await store.makeAccount(), await store.makeAccount()];
  const arrive = async () => {
    const instance = await Instance.register(store.database, newId());
    return { instance, ledger: await PostgresLedger.open(store.database, instance.id) };
  };
  const instances = [await arrive(), await arrive()];
  const spent = [0n, 0n];
  const granted = [0n, 0n];
  let repeat: () => Promise<void> = async () => undefined;

  async function take(next: Step): Promise<void> {
    const account = "account" in next ? next.account : 0;
    const accountId = accounts[account] ?? "";
    const seat = "instance" in next ? instances[next.instance] : undefined;
    switch (next.act) {
      case "grant":
        await grantCredits(store.database, accountId, next.amount, "test");
        granted[account] = (granted[account] ?? 0n) + next.amount;
        return;
      case "lease":
        await seat?.ledger.extendLease(accountId, next.amount);
        return;
      case "charge": {
        const batch = next.costs.map((cost) => sampleSettlement({ accountId, keyId: accountId, cost }));
        const sum = next.costs.reduce((total, cost) => total + cost, 0n);
        const lease = (await seat?.ledger.leaseOf(accountId)) ?? 0n;
        const written =
          (await seat?.ledger.write(batch).then(
            () => true,
            () => false,
          )) ?? false;
        expect(written, `charging ${sum} of ${lease}`).toBe(sum <= lease);
        if (!written) return;
        spent[account] = (spent[account] ?? 0n) + sum;
        repeat = async () => seat?.ledger.write(batch);
        return;
      }
      case "repeat":
        await repeat();
        return;
      case "leave":
        await seat?.instance.leave();
        instances[next.instance] = await arrive();
        // The instance that wrote it is gone, and so is its right to write it again.
        repeat = async () => undefined;
    }
  }

  async function check(): Promise<void> {
    const books = await readBooks(store.database);
    for (const [index, accountId] of accounts.entries()) {
      const total = books
        .filter((side) => side.account_id === accountId)
        .reduce((sum, side) => sum + side.balance, 0n);
      expect(total).toBe((granted[index] ?? 0n) - (spent[index] ?? 0n));
    }
    await expectSoundBooks(store.database);
  }

  return { take, check, close: () => Promise.all(instances.map(({ instance }) => instance.leave())) };
}

describe("whatever happens to the money", () => {
  it("the books are sound, and an account has what it was granted less what it spent", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 20 }), async (steps) => {
        const { take, check, close } = await stage();
        for (const next of steps) await take(next);
        await check();
        await close();
        await check();
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });

  it("the same holds where everything happens at once", async () => {
    const harmless = step.filter((next) => next.act === "grant" || next.act === "lease");
    await fc.assert(
      fc.asyncProperty(fc.array(harmless, { minLength: 5, maxLength: 20 }), async (steps) => {
        const { take, check, close } = await stage();
        await Promise.all(steps.map(take));
        await check();
        await close();
        await check();
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });
});
