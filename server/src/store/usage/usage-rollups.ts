import type { Database, Queryable } from "../database/database.ts";

/**
 * Days are closed three hours after their end. What is written more than an hour after its quarter began is late, and
 * looks whether its day is closed; so a write that does not look would have to run for two hours to be missed.
 */
const CLOSABLE = "date_trunc('day', now() - interval '3 hours', 'UTC')";

const SUMS = "sum(requests), sum(errors), sum(input_tokens), sum(output_tokens), sum(cost)";

/** Sums up the days that are over, for those who read long ranges. False where there is nothing to do, or someone else is at it. */
export async function closeUsageDays(database: Database): Promise<boolean> {
  const due = await database.query(`SELECT FROM usage_closed WHERE until < ${CLOSABLE}`);
  if (due.length === 0) return false;
  return database.transaction(async (connection) => {
    const mine = await connection.query<{ closed: string; closable: string }>(
      `SELECT until::text AS closed, ${CLOSABLE}::text AS closable FROM usage_closed
       WHERE until < ${CLOSABLE} FOR UPDATE SKIP LOCKED`,
    );
    if (mine[0] === undefined) return false;
    const { closed, closable } = mine[0];
    // In statements of their own, so that they see what was committed before the lock was given.
    await connection.query(
      `INSERT INTO usage_days SELECT account_id, (quarter AT TIME ZONE 'UTC')::date, key_id, model, provider, task, ${SUMS}
       FROM usage_quarters WHERE quarter >= $1 AND quarter < $2 GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 2, 1`,
      [closed, closable],
    );
    await connection.query(
      `INSERT INTO usage_account_quarters SELECT account_id, quarter, ${SUMS}
       FROM usage_quarters WHERE quarter >= $1 AND quarter < $2 GROUP BY 1, 2 ORDER BY 2, 1`,
      [closed, closable],
    );
    await connection.query("UPDATE usage_closed SET until = $1", [closable]);
    return true;
  });
}

/** Everything before this moment, a midnight of UTC, is closed. It only ever grows, so it may be read ahead of the sums. */
export async function usageClosedUntil(database: Queryable): Promise<Date | undefined> {
  const rows = await database.query<{ until: Date | null }>(
    "SELECT nullif(until, '-infinity') AS until FROM usage_closed",
  );
  return rows[0]?.until ?? undefined;
}

/** Adds an instance's own sums of usage, up to a moment or all of them, to those that all have in common. */
export async function mergeInstanceUsage(connection: Queryable, instanceId: string, before?: Date): Promise<void> {
  await connection.query(
    `WITH own AS (
       DELETE FROM usage_quarters WHERE instance_id = $1 AND ($2::timestamptz IS NULL OR quarter < $2) RETURNING *
     )
     INSERT INTO usage_quarters AS u (account_id, quarter, key_id, model, provider, task, requests, errors, input_tokens, output_tokens, cost, latency_ms)
     SELECT account_id, quarter, key_id, model, provider, task, requests, errors, input_tokens, output_tokens, cost, latency_ms FROM own
     -- In one order everywhere: two that fold into the same rows must not wait for each other in a ring.
     ORDER BY account_id, quarter, key_id, model, provider, task
     ON CONFLICT (account_id, quarter, key_id, model, provider, task, instance_id) DO UPDATE SET
       requests = u.requests + EXCLUDED.requests, errors = u.errors + EXCLUDED.errors,
       input_tokens = u.input_tokens + EXCLUDED.input_tokens, output_tokens = u.output_tokens + EXCLUDED.output_tokens,
       cost = u.cost + EXCLUDED.cost, latency_ms = u.latency_ms + EXCLUDED.latency_ms`,
    [instanceId, before ?? null],
  );
}
