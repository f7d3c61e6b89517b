import { Fault } from "@trunkline/core/fault.ts";
import type { AccountBudgetPool, BalancePool, BudgetPool, FundsPoolState } from "@trunkline/core/funds-pool.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { AccountGate } from "./account-gate.ts";
import { settleDebts } from "./debts.ts";

/** An account's balance, as one instance sees it. */
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
    "read-balance",
  );
  return rows[0] ?? { total: 0n, unleased: 0n, mine: 0n };
}

/** Moves part of a balance to an instance's lease, by double entry. */
export async function extendBalanceLease(
  database: Database,
  { accountId }: BalancePool,
  instanceId: string,
  need: NanoCredits,
  gate?: AccountGate,
): Promise<NanoCredits> {
  if (gate === undefined) return leaseBalance(database, accountId, instanceId, need);
  return database.transaction(async (connection) => {
    await requireRegisteredInstance(connection, instanceId);
    await gate(connection, accountId);
    return leaseBalance(connection, accountId, instanceId, need);
  });
}

async function leaseBalance(
  connection: Queryable,
  accountId: string,
  instanceId: string,
  need: NanoCredits,
): Promise<NanoCredits> {
  const rows = await connection.query<{ moved: bigint | null }>(
    "SELECT lease_balance($1, $2, $3, $4) AS moved",
    [accountId, instanceId, need, LEASE_DIVISOR],
    "lease-balance",
  );
  const moved = rows[0]?.moved ?? undefined;
  if (moved === undefined) throw lostTouch();
  return moved;
}

/** Moves part of an instance's lease back to the balance. */
export function returnBalanceLease(
  database: Database,
  { accountId }: BalancePool,
  instanceId: string,
  amount: NanoCredits,
): Promise<void> {
  return database.transaction(async (connection) => {
    await lockBalance(connection, accountId);
    await connection.query(MOVE_FROM_LEASE, [accountId, amount, instanceId], "return-lease");
    await settleDebts(connection, [accountId]);
  });
}

/**
 * Locks the balance in a statement of its own, so that the next one sees what earlier transactions have committed.
 * A transaction that locks a balance and a lease locks the balance first.
 */
async function lockBalance(connection: Queryable, accountId: string): Promise<void> {
  await connection.query(
    "SELECT 1 FROM ledger_accounts WHERE kind = 'customer' AND account_id = $1 FOR UPDATE",
    [accountId],
    "lock-balance",
  );
}

/** Returns at most what the lease has: the instance may have been taken for dead meanwhile. */
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

/** Where a budget's period was changed, a lease of the period before may still be spent in this one. */
const OVERLAPS_PERIOD = `(period = 'total' OR starts_at + CASE period
    WHEN 'day' THEN interval '1 day' WHEN 'week' THEN interval '7 days' ELSE interval '1 month' END > $3)`;

/** Where the leases of keys' and of accounts' budgets are, and by which column their owner is found, there and in the usage. */
const BUDGET_TABLES = {
  budget: { table: "budget_leases", owner: "key_id" },
  "account-budget": { table: "account_budget_leases", owner: "account_id" },
} as const;

type AnyBudgetPool = BudgetPool | AccountBudgetPool;

function ownerIdOf(pool: AnyBudgetPool): string {
  return pool.kind === "budget" ? pool.keyId : pool.accountId;
}

/** The budget of a key or an account in one period, as one instance sees it. */
export async function readBudgetPool(
  connection: Queryable,
  pool: AnyBudgetPool,
  instanceId: string,
): Promise<FundsPoolState> {
  const { table, owner } = BUDGET_TABLES[pool.kind];
  const rows = await connection.query<{ spent: bigint; leased: bigint; mine: bigint }>(
    `SELECT
       (SELECT coalesce(sum(cost), 0) FROM usage_quarters WHERE ${owner} = $1 AND quarter >= $3)::bigint AS spent,
       coalesce(sum(amount), 0)::bigint AS leased,
       coalesce(sum(amount) FILTER (WHERE period = $2 AND starts_at = $3 AND instance_id = $4), 0)::bigint AS mine
     FROM ${table} WHERE ${owner} = $1 AND ${OVERLAPS_PERIOD}`,
    [...budgetKeyOf(pool), instanceId],
  );
  const { spent, leased, mine } = rows[0] ?? { spent: 0n, leased: 0n, mine: 0n };
  const total = pool.limit - spent;
  return { total, unleased: total - leased, mine };
}

/** Leases part of a budget to an instance. */
export function extendBudgetLease(
  database: Database,
  pool: AnyBudgetPool,
  instanceId: string,
  need: NanoCredits,
  gate?: AccountGate,
): Promise<NanoCredits> {
  const { table, owner } = BUDGET_TABLES[pool.kind];
  return database.transaction(async (connection) => {
    await requireRegisteredInstance(connection, instanceId);
    if (pool.accountId !== undefined) await gate?.(connection, pool.accountId);
    // Leases of one budget are taken one after the other. Charges need no lock: they move from leased to spent.
    await connection.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`budget ${ownerIdOf(pool)}`]);
    const { unleased } = await readBudgetPool(connection, pool, instanceId);
    const amount = leaseSize(unleased, need);
    if (amount > 0n) {
      await connection.query(
        `INSERT INTO ${table} (${owner}, period, starts_at, instance_id, amount) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (${owner}, period, starts_at, instance_id) DO UPDATE SET amount = ${table}.amount + EXCLUDED.amount, touched_at = now()`,
        [...budgetKeyOf(pool), instanceId, amount],
      );
    }
    return amount;
  });
}

/** Returns part of an instance's lease, or what is left of it. */
export async function returnBudgetLease(
  connection: Queryable,
  pool: AnyBudgetPool,
  instanceId: string,
  amount: NanoCredits,
): Promise<void> {
  const { table, owner } = BUDGET_TABLES[pool.kind];
  await connection.query(
    `UPDATE ${table} SET amount = amount - least(amount, $5::bigint), touched_at = now()
     WHERE ${owner} = $1 AND period = $2 AND starts_at = $3 AND instance_id = $4`,
    [...budgetKeyOf(pool), instanceId, amount],
  );
}

/**
 * Deletes the empty leases of instances that are gone, a day later: an instance that was only taken for dead comes back
 * within that time. Its charges must find their lease, even an empty one, or they would miss the budget.
 */
export async function sweepBudgetLeases(connection: Queryable): Promise<void> {
  for (const { table } of Object.values(BUDGET_TABLES)) {
    await connection.query(
      `DELETE FROM ${table} b WHERE amount = 0 AND touched_at < now() - interval '1 day'
         AND NOT EXISTS (SELECT 1 FROM instances i WHERE i.id = b.instance_id)`,
    );
  }
}

/** The start of a budget's period, as the store writes it. */
export function storedStart(startsAt: number | undefined): string {
  return startsAt === undefined ? "-infinity" : new Date(startsAt).toISOString();
}

function budgetKeyOf(pool: AnyBudgetPool): unknown[] {
  return [ownerIdOf(pool), pool.period, storedStart(pool.startsAt)];
}

/** A lease is an eighth of what is unleased while that exceeds the need, so leases shrink as the rest does. */
const LEASE_DIVISOR = 8n;

/** How much of a budget to lease: at least the need, or nothing. As `lease_balance` does it for a balance. */
function leaseSize(unleased: NanoCredits, need: NanoCredits): NanoCredits {
  if (unleased < need) return 0n;
  const share = unleased / LEASE_DIVISOR;
  return share > need ? share : need;
}

/**
 * Only a registered instance may lease: the lease of an instance that is gone would never be returned. The lock keeps its
 * row until this transaction is over; it always comes before the locks on ledger accounts.
 */
async function requireRegisteredInstance(connection: Queryable, instanceId: string): Promise<void> {
  const sql = "SELECT 1 FROM instances WHERE id = $1 FOR KEY SHARE";
  const rows = await connection.query(sql, [instanceId], "require-instance");
  if (rows.length === 0) throw lostTouch();
}

function lostTouch(): Fault {
  return new Fault("unavailable", "The service has lost touch with its store for a moment. Try again shortly.", {
    retryAfterSeconds: 1,
  });
}
