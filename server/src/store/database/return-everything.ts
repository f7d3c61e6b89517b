import { mergeInstanceUsage } from "../usage/fold-quarters.ts";
import type { Queryable } from "./database.ts";

/** Undoes the existence of an instance: its leases go back, the idempotency keys of what it ran are free again. */
export async function releaseInstance(connection: Queryable, instanceId: string): Promise<void> {
  // First of all, so that nothing is leased in its name any more; then the keys, as charges lock these before leases.
  await connection.query("DELETE FROM instances WHERE id = $1", [instanceId]);
  await connection.query("DELETE FROM idempotency_keys WHERE instance_id = $1 AND answer IS NULL", [
    instanceId,
  ]);
  await returnBalanceLeases(connection, instanceId);
  await connection.query(
    "UPDATE budget_leases SET amount = 0, touched_at = now() WHERE instance_id = $1 AND amount > 0",
    [instanceId],
  );
  await connection.query("UPDATE batches SET lease_by = NULL WHERE lease_by = $1", [instanceId]);
  await mergeInstanceUsage(connection, instanceId);
}

async function returnBalanceLeases(connection: Queryable, instanceId: string): Promise<void> {
  // Locked in statements of their own, the balances first as everywhere, so that the last one sees what every charge
  // on its way has left.
  await connection.query(
    `SELECT 1 FROM ledger_accounts WHERE kind = 'customer' AND account_id IN (
       SELECT account_id FROM ledger_accounts WHERE kind = 'lease' AND instance_id = $1 AND balance > 0
     ) ORDER BY id FOR UPDATE`,
    [instanceId],
  );
  await connection.query(
    "SELECT 1 FROM ledger_accounts WHERE kind = 'lease' AND instance_id = $1 ORDER BY id FOR UPDATE",
    [instanceId],
  );
  await connection.query(
    `WITH lease AS (
       SELECT id, account_id, balance FROM ledger_accounts WHERE kind = 'lease' AND instance_id = $1 AND balance > 0
     ), emptied AS (
       UPDATE ledger_accounts a SET balance = 0 FROM lease WHERE a.id = lease.id
     ), refilled AS (
       UPDATE ledger_accounts a SET balance = a.balance + lease.balance FROM lease
       WHERE a.kind = 'customer' AND a.account_id = lease.account_id RETURNING a.id, a.account_id
     )
     INSERT INTO ledger_transfers (kind, debit, credit, amount)
     SELECT 'lease_return', lease.id, refilled.id, lease.balance FROM lease JOIN refilled USING (account_id)`,
    [instanceId],
  );
}
