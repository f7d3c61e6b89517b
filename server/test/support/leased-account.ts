import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Settlement } from "../../src/ledger/billing/settlement.ts";
import type { FreshStore } from "./fresh-store.ts";
import { sampleSettlement } from "./sample-settlement.ts";

/** An account, and an instance that has leased all of its money. */
export async function openLeasedAccount(store: FreshStore, balance = 1_000n) {
  const [accountId, keyId, instanceId] = [await store.makeAccount(balance), newId(), newId()];
  const ledger = await store.openLedger(instanceId);
  await ledger.extendLease(balancePool(accountId), balance);
  const settle = (change: Partial<Settlement> = {}) => sampleSettlement({ accountId, keyId, ...change });
  const rows = (table: string) => store.database.query(`SELECT * FROM ${table} WHERE account_id = $1`, [accountId]);
  return { accountId, keyId, instanceId, ledger, settle, rows };
}
