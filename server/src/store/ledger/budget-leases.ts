import type { BudgetPool, FundsPoolState } from "@trunkline/core/funds-pool.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Database, Queryable } from "../database/database.ts";
import { requireRegisteredInstance } from "./require-registered.ts";
import { leaseSize } from "./slice.ts";

/** A lease of another period may be spent in this one too, where a budget's period was changed meanwhile. */
const OVERLAPS_PERIOD = `(period = 'total' OR starts_at + CASE period
    WHEN 'day' THEN interval '1 day' WHEN 'week' THEN interval '7 days' ELSE interval '1 month' END > $3)`;

/** How a key's budget stands in one period, seen by one instance. */
export async function readBudgetPool(
  connection: Queryable,
  lot: BudgetPool,
  instanceId: string,
): Promise<FundsPoolState> {
  const rows = await connection.query<{ spent: bigint; leased: bigint; mine: bigint }>(
    `SELECT
       (SELECT coalesce(sum(cost), 0) FROM usage_quarters WHERE key_id = $1 AND quarter >= $3)::bigint AS spent,
       coalesce(sum(amount), 0)::bigint AS leased,
       coalesce(sum(amount) FILTER (WHERE period = $2 AND starts_at = $3 AND instance_id = $4), 0)::bigint AS mine
     FROM budget_leases WHERE key_id = $1 AND ${OVERLAPS_PERIOD}`,
    [...budgetKeyOf(lot), instanceId],
  );
  const { spent, leased, mine } = rows[0] ?? { spent: 0n, leased: 0n, mine: 0n };
  const total = lot.limit - spent;
  return { total, unleased: total - leased, mine };
}

/** Leases a slice of a budget to an instance. */
export function extendBudgetLease(
  database: Database,
  lot: BudgetPool,
  instanceId: string,
  need: NanoCredits,
): Promise<NanoCredits> {
  return database.transaction(async (connection) => {
    await requireRegisteredInstance(connection, instanceId);
    // Those who lease of one budget do it one after the other. Charges need no lock: they move from leased to spent.
    await connection.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`budget ${lot.keyId}`]);
    const { unleased } = await readBudgetPool(connection, lot, instanceId);
    const slice = leaseSize(unleased, need);
    if (slice > 0n) {
      await connection.query(
        `INSERT INTO budget_leases (key_id, period, starts_at, instance_id, amount) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (key_id, period, starts_at, instance_id) DO UPDATE SET amount = budget_leases.amount + EXCLUDED.amount, touched_at = now()`,
        [...budgetKeyOf(lot), instanceId, slice],
      );
    }
    return slice;
  });
}

/** Gives a part of an instance's slice back, or what is left of it. */
export async function returnBudgetLease(
  connection: Queryable,
  lot: BudgetPool,
  instanceId: string,
  amount: NanoCredits,
): Promise<void> {
  await connection.query(
    `UPDATE budget_leases SET amount = amount - least(amount, $5::bigint), touched_at = now()
     WHERE key_id = $1 AND period = $2 AND starts_at = $3 AND instance_id = $4`,
    [...budgetKeyOf(lot), instanceId, amount],
  );
}

/**
 * Forgets the empty leases of instances that are gone. An instance that was only taken for dead comes back within a
 * day, and its charges must find their lease, even an empty one: without it they would pass unseen.
 */
export async function sweepBudgetLeases(connection: Queryable): Promise<void> {
  await connection.query(
    `DELETE FROM budget_leases b WHERE amount = 0 AND touched_at < now() - interval '1 day'
       AND NOT EXISTS (SELECT 1 FROM instances i WHERE i.id = b.instance_id)`,
  );
}

/** When a page began, as the store writes it. */
export function storedStart(startsAt: number | undefined): string {
  return startsAt === undefined ? "-infinity" : new Date(startsAt).toISOString();
}

function budgetKeyOf({ keyId, period, startsAt }: BudgetPool): unknown[] {
  return [keyId, period, storedStart(startsAt)];
}
