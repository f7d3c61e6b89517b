import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import fc from "fast-check";
import { expect } from "vitest";
import type { Settlement } from "../../src/ledger/billing/settlement.ts";
import { Instance } from "../../src/store/instances.ts";
import { grantCredits, PostgresLedger } from "../../src/store/ledger/ledger.ts";
import type { FreshStore } from "./fresh-store.ts";
import { expectSoundLedger, readLedger } from "./ledger-state.ts";
import { sampleSettlement } from "./sample-settlement.ts";

/** One thing that may happen to the money. */
export type Step =
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
export const step: fc.Arbitrary<Step> = fc.oneof(
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
export async function openTraffic(
  store: FreshStore,
  settle: (change: Partial<Settlement> & { readonly cost: bigint }) => Settlement = sampleSettlement,
) {
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
        await seat?.ledger.extendLease(balancePool(accountId), next.amount);
        return;
      case "charge": {
        const batch = next.costs.map((cost) => settle({ accountId, keyId: accountId, cost }));
        const sum = next.costs.reduce((total, cost) => total + cost, 0n);
        const pool = await seat?.ledger.readPool(balancePool(accountId));
        // What is not leased yet is leased for the charge; what others have leased is not taken from them.
        const reach = (pool?.mine ?? 0n) + (pool?.unleased ?? 0n);
        const written =
          (await seat?.ledger.write(batch).then(
            () => true,
            () => false,
          )) ?? false;
        expect(written, `charging ${sum} of ${reach}`).toBe(sum <= reach);
        if (!written) return;
        spent[account] = (spent[account] ?? 0n) + sum;
        repeat = async () => {
          await seat?.ledger.write(batch);
        };
        return;
      }
      case "repeat":
        await repeat();
        return;
      case "leave":
        await seat?.instance.deregister();
        instances[next.instance] = await arrive();
        // The instance that wrote it is gone, and so is its right to write it again.
        repeat = async () => undefined;
    }
  }

  async function check(): Promise<void> {
    const ledger = await readLedger(store.database);
    for (const [index, accountId] of accounts.entries()) {
      const total = ledger
        .filter((side) => side.account_id === accountId)
        .reduce((sum, side) => sum + side.balance, 0n);
      expect(total).toBe((granted[index] ?? 0n) - (spent[index] ?? 0n));
    }
    await expectSoundLedger(store.database);
  }

  return { take, check, close: () => Promise.all(instances.map(({ instance }) => instance.deregister())) };
}
