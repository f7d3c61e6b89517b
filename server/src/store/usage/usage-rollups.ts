import type { Database, Queryable } from "../database/database.ts";
import { addToQuarters, DIMENSIONS, QUARTER_COLUMN_LIST, ROLLUP_COLUMNS, sums } from "./usage-columns.ts";

/**
 * Days are closed three hours after their end. A write more than an hour after its quarter began is late, and a trigger
 * checks whether its day is closed. To be missed, a write that is not late would have to run for two hours.
 */
const CLOSABLE = "date_trunc('day', now() - interval '3 hours', 'UTC')";

/** Sums up the days that are over, so that long ranges are read quickly. False where there is nothing to do, or another instance does it. */
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
    // In statements of their own, so that they see what was committed before the lock was granted.
    await connection.query(
      `INSERT INTO usage_days SELECT account_id, (quarter AT TIME ZONE 'UTC')::date, ${DIMENSIONS}, ${sums(ROLLUP_COLUMNS)}
       FROM usage_quarters WHERE quarter >= $1 AND quarter < $2 GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 2, 1`,
      [closed, closable],
    );
    await connection.query(
      `INSERT INTO usage_account_quarters SELECT account_id, quarter, ${sums(ROLLUP_COLUMNS)}
       FROM usage_quarters WHERE quarter >= $1 AND quarter < $2 GROUP BY 1, 2 ORDER BY 2, 1`,
      [closed, closable],
    );
    await connection.query("UPDATE usage_closed SET until = $1", [closable]);
    return true;
  });
}

/** The midnight of UTC before which all days are closed. It only grows, so it may be read before the sums. */
export async function usageClosedUntil(database: Queryable): Promise<Date | undefined> {
  const rows = await database.query<{ until: Date | null }>(
    "SELECT nullif(until, '-infinity') AS until FROM usage_closed",
  );
  return rows[0]?.until ?? undefined;
}

/** The `instance_id` of the rows that all instances share: the column's default. */
const SHARED_ROWS = "00000000-0000-0000-0000-000000000000";

/** Adds an instance's own rows of `usage_quarters`, all or those before a moment, to the rows that all instances share. */
export async function mergeInstanceUsage(connection: Queryable, instanceId: string, before?: Date): Promise<void> {
  await connection.query(
    `WITH own AS (
       DELETE FROM usage_quarters WHERE instance_id = $1 AND ($2::timestamptz IS NULL OR quarter < $2) RETURNING *
     )
     ${addToQuarters(
       // In one order everywhere: two instances that add to the same rows must not deadlock.
       `SELECT account_id, quarter, ${DIMENSIONS}, '${SHARED_ROWS}', ${QUARTER_COLUMN_LIST} FROM own
       ORDER BY account_id, quarter, ${DIMENSIONS}`,
     )}`,
    [instanceId, before ?? null],
  );
}
