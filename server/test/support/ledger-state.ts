import { expect } from "vitest";
import type { Database } from "../../src/store/database/database.ts";

export interface LedgerRow {
  readonly kind: string;
  readonly account_id: string | null;
  readonly instance_id: string | null;
  readonly balance: bigint;
  readonly moved: bigint;
}

/** Every account of the ledger, with the sum of its transfers. */
export function readLedger(database: Database): Promise<LedgerRow[]> {
  return database.query<LedgerRow>(
    `SELECT a.kind, a.account_id, a.instance_id, a.balance,
       (SELECT coalesce(sum(CASE WHEN t.credit = a.id THEN t.amount ELSE -t.amount END), 0)::bigint
        FROM ledger_transfers t WHERE a.id IN (t.debit, t.credit)) AS moved
     FROM ledger_accounts a`,
  );
}

/** What must always hold: the sum is zero, every balance is the sum of its transfers, and only the issuer is in debt. */
export async function expectSoundLedger(database: Database): Promise<void> {
  const ledger = await readLedger(database);
  expect(ledger.reduce((sum, { balance }) => sum + balance, 0n)).toBe(0n);
  for (const side of ledger) {
    expect(side.balance, `${side.kind} of ${side.account_id ?? side.instance_id}`).toBe(side.moved);
    if (side.kind !== "issued") expect(side.balance).toBeGreaterThanOrEqual(0n);
  }
}
