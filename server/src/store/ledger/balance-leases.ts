import type { BalancePool, FundsPoolState } from "@trunkline/core/funds-pool.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Database, Queryable } from "../database/database.ts";
import { requireRegisteredInstance } from "./require-registered.ts";
import { leaseSize } from "./slice.ts";

/** An account's balance, seen by one instance. */
export async function readBalancePool(
  connection: Queryable,
  { accountId }: BalancePool,
  instanceId: string,
): Promise<FundsPoolState> {
  const rows = await connection.query<{ total: bigint; unleased: bigint; mine: bigint }>(
    `SELECT coalesce(sum(balance), 0)::bigint AS total,
       coalesce(sum(balance) FILTER (WHERE kind = 'customer'), 0)::bigint AS unleased,
       coalesce(sum(balance) FILTER (WHERE instance_id = $2), 0)::bigint AS mine
     FROM ledger_accounts WHERE account_id = $1 AND kind IN ('customer', 'lease')`,
    [accountId, instanceId],
  );
  return rows[0] ?? { total: 0n, unleased: 0n, mine: 0n };
}

/** Moves a slice of a balance to an instance's own account, by double entry. */
export function extendBalanceLease(
  database: Database,
  { accountId }: BalancePool,
  instanceId: string,
  need: NanoCredits,
): Promise<NanoCredits> {
  return database.transaction(async (connection) => {
    await requireRegisteredInstance(connection, instanceId);
    const slice = leaseSize(await lockBalance(connection, accountId), need);
    if (slice > 0n) await connection.query(MOVE_TO_LEASE, [accountId, slice, instanceId]);
    return slice;
  });
}

/** Moves a part of an instance's slice back to the balance. */
export function returnBalanceLease(
  database: Database,
  { accountId }: BalancePool,
  instanceId: string,
  amount: NanoCredits,
): Promise<void> {
  return database.transaction(async (connection) => {
    await lockBalance(connection, accountId);
    await connection.query(MOVE_FROM_LEASE, [accountId, amount, instanceId]);
  });
}

/**
 * Locked in a statement of its own, so that the next one sees the row as it is once everybody before us is done.
 * Whoever locks both sides locks this one first.
 */
async function lockBalance(connection: Queryable, accountId: string): Promise<NanoCredits> {
  const rows = await connection.query<{ balance: bigint }>(
    "SELECT balance FROM ledger_accounts WHERE kind = 'customer' AND account_id = $1 FOR UPDATE",
    [accountId],
  );
  return rows[0]?.balance ?? 0n;
}

const MOVE_TO_LEASE = `
WITH taken AS (
  UPDATE ledger_accounts SET balance = balance - $2::bigint WHERE kind = 'customer' AND account_id = $1 RETURNING id
), lease AS (
  INSERT INTO ledger_accounts (kind, account_id, instance_id, balance) VALUES ('lease', $1, $3, $2::bigint)
  ON CONFLICT (account_id, instance_id) WHERE kind = 'lease' DO UPDATE SET balance = ledger_accounts.balance + EXCLUDED.balance
  RETURNING id
)
INSERT INTO ledger_transfers (kind, debit, credit, amount) SELECT 'lease', taken.id, lease.id, $2::bigint FROM taken, lease`;

/** Whatever is asked, no more goes back than is there: the instance may have been taken for dead meanwhile. */
const MOVE_FROM_LEASE = `
WITH lease AS (
  SELECT id, least(balance, $2::bigint) AS amount FROM ledger_accounts
  WHERE kind = 'lease' AND account_id = $1 AND instance_id = $3 AND balance > 0 FOR UPDATE
), emptied AS (
  UPDATE ledger_accounts a SET balance = a.balance - lease.amount FROM lease WHERE a.id = lease.id
), refilled AS (
  UPDATE ledger_accounts a SET balance = a.balance + lease.amount FROM lease
  WHERE a.kind = 'customer' AND a.account_id = $1 RETURNING a.id
)
INSERT INTO ledger_transfers (kind, debit, credit, amount)
SELECT 'lease_return', lease.id, refilled.id, lease.amount FROM lease, refilled`;
