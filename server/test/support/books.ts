import { expect } from "vitest";
import type { Database } from "../../src/store/database/database.ts";

export interface BookRow {
  readonly kind: string;
  readonly account_id: string | null;
  readonly instance_id: string | null;
  readonly balance: bigint;
  readonly moved: bigint;
}

/** Every side of the ledger, with what its transfers add up to. */
export function readBooks(database: Database): Promise<BookRow[]> {
  return database.query<BookRow>(
    `SELECT a.kind, a.account_id, a.instance_id, a.balance,
       (SELECT coalesce(sum(CASE WHEN t.credit = a.id THEN t.amount ELSE -t.amount END), 0)::bigint
        FROM ledger_transfers t WHERE a.id IN (t.debit, t.credit)) AS moved
     FROM ledger_accounts a`,
  );
}

/** What must hold whatever happened: all is zero in sum, every balance is its transfers' sum, and only the issuer is in debt. */
export async function expectSoundBooks(database: Database): Promise<void> {
  const books = await readBooks(database);
  expect(books.reduce((sum, { balance }) => sum + balance, 0n)).toBe(0n);
  for (const side of books) {
    expect(side.balance, `${side.kind} of ${side.account_id ?? side.instance_id}`).toBe(side.moved);
    if (side.kind !== "issued") expect(side.balance).toBeGreaterThanOrEqual(0n);
  }
}
