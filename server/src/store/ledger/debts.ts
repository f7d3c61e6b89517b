import type { NanoCredits } from "@trunkline/core/money.ts";
import { announceRecall } from "../database/changes.ts";
import type { Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";

/** Named as the one who recalls leases for a debt: no instance has this id, so that all of them give back. */
const DEBT_COLLECTOR = "debt";

/** What an account owes. */
export async function readDebt(connection: Queryable, accountId: string): Promise<NanoCredits> {
  const rows = await connection.query<Row<"ledger_accounts", "balance">>(
    "SELECT balance FROM ledger_accounts WHERE kind = 'debt' AND account_id = $1",
    [accountId],
  );
  return -(rows[0]?.balance ?? 0n);
}

/**
 * Pays what the accounts owe with what no instance has leased. Called in every transaction that adds to a balance, which
 * holds the lock on it: so an account that owes anything has nothing that could be leased.
 */
export async function settleDebts(connection: Queryable, accountIds: readonly string[]): Promise<void> {
  await connection.query(
    `WITH owed AS (
       SELECT d.id AS debt, c.id AS customer, least(c.balance, -d.balance) AS amount
       FROM ledger_accounts d JOIN ledger_accounts c ON c.kind = 'customer' AND c.account_id = d.account_id
       WHERE d.kind = 'debt' AND d.balance < 0 AND d.account_id = ANY ($1::uuid[]) AND c.balance > 0
     ), paid AS (
       UPDATE ledger_accounts a SET balance = a.balance - owed.amount FROM owed WHERE a.id = owed.customer
     ), lowered AS (
       UPDATE ledger_accounts a SET balance = a.balance + owed.amount FROM owed WHERE a.id = owed.debt
     )
     INSERT INTO ledger_transfers (kind, debit, credit, amount) SELECT 'debt_paid', customer, debt, amount FROM owed`,
    [accountIds],
    "settle-debts",
  );
}

/**
 * Takes paid credits back. What the balance does not cover becomes a debt, and the instances are asked for what they have
 * leased. The caller holds the lock on the balance. Returns the transfers, of which there may be two.
 */
export async function debitAccount(
  connection: Queryable,
  kind: "refund" | "dispute",
  accountId: string,
  amount: NanoCredits,
  memo: string,
): Promise<readonly { readonly id: bigint; readonly kind: "refund" | "dispute" | "debt" }[]> {
  const covered = await connection.query<Row<"ledger_transfers", "id" | "amount">>(
    `WITH customer AS (
       SELECT id, least(balance, $2::bigint) AS amount FROM ledger_accounts
       WHERE kind = 'customer' AND account_id = $1 AND balance > 0
     ), taken AS (
       UPDATE ledger_accounts a SET balance = a.balance - customer.amount FROM customer WHERE a.id = customer.id
     ), source AS (
       UPDATE ledger_accounts a SET balance = a.balance + customer.amount FROM customer WHERE a.kind = 'card'
       RETURNING a.id
     )
     INSERT INTO ledger_transfers (kind, debit, credit, amount, memo)
     SELECT $4, customer.id, source.id, customer.amount, $3 FROM customer, source RETURNING id, amount`,
    [accountId, amount, memo, kind],
  );
  const rest = amount - (covered[0]?.amount ?? 0n);
  const transfers: { id: bigint; kind: "refund" | "dispute" | "debt" }[] = covered.map(({ id }) => ({ id, kind }));
  if (rest === 0n) return transfers;
  const owed = await connection.query<Row<"ledger_transfers", "id">>(
    `WITH debt AS (
       INSERT INTO ledger_accounts (kind, account_id, balance) VALUES ('debt', $1, -$2::bigint)
       ON CONFLICT (account_id) WHERE kind = 'debt' DO UPDATE SET balance = ledger_accounts.balance + EXCLUDED.balance
       RETURNING id
     ), source AS (
       UPDATE ledger_accounts SET balance = balance + $2::bigint WHERE kind = 'card' RETURNING id
     )
     INSERT INTO ledger_transfers (kind, debit, credit, amount, memo)
     SELECT 'debt', debt.id, source.id, $2::bigint, $3 FROM debt, source RETURNING id`,
    [accountId, rest, memo],
  );
  transfers.push(...owed.map(({ id }) => ({ id, kind: "debt" as const })));
  await announceRecall(connection, { kind: "balance", id: accountId, by: DEBT_COLLECTOR });
  return transfers;
}

/** Asks the instances again for what they have leased of accounts that owe something. */
export async function recallForDebts(connection: Queryable): Promise<void> {
  const rows = await connection.query<{ account_id: string }>(
    `SELECT d.account_id FROM ledger_accounts d WHERE d.kind = 'debt' AND d.balance < 0 AND EXISTS (
       SELECT 1 FROM ledger_accounts l WHERE l.kind = 'lease' AND l.account_id = d.account_id AND l.balance > 0)`,
  );
  for (const { account_id: id } of rows) {
    await announceRecall(connection, { kind: "balance", id, by: DEBT_COLLECTOR });
  }
}
