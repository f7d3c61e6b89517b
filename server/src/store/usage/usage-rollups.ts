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

/** How many rows one statement merges. All rows of an instance that served many accounts would take longer than a statement may. */
export const MERGED_ROWS_MAX = 10_000;

/** Adds an instance's own rows of `usage_quarters`, all or those before a moment, to the rows that all instances share. */
export async function mergeInstanceUsage(database: Queryable, instanceId: string, before?: Date): Promise<void> {
  while ((await mergeSomeUsage(database, instanceId, before)) === MERGED_ROWS_MAX);
}

/** Merges the first of these rows. Returns how many. */
export async function mergeSomeUsage(connection: Queryable, instanceId: string, before?: Date): Promise<number> {
  const rows = await connection.query<{ merged: bigint }>(
    `WITH own AS (
       DELETE FROM usage_quarters WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM usage_quarters WHERE instance_id = $1 AND instance_id <> '${SHARED_ROWS}' AND ($2::timestamptz IS NULL OR quarter < $2)
         ORDER BY quarter LIMIT ${MERGED_ROWS_MAX} FOR UPDATE SKIP LOCKED
       )) RETURNING *
     ), added AS (${addToQuarters(
       // In one order everywhere: two instances that add to the same rows must not deadlock.
       `SELECT account_id, quarter, ${DIMENSIONS}, '${SHARED_ROWS}', ${QUARTER_COLUMN_LIST} FROM own
       ORDER BY account_id, quarter, ${DIMENSIONS}`,
     )})
     SELECT count(*) AS merged FROM own`,
    [instanceId, before ?? null],
  );
  return Number(rows[0]?.merged);
}

/** Merges what instances that are no longer registered have left. */
export async function mergeLeftUsage(database: Queryable): Promise<void> {
  // One step in the index for each instance, not for each of its rows.
  const left = await database.query<{ id: string }>(
    `WITH RECURSIVE ids AS (
       (SELECT instance_id AS id FROM usage_quarters WHERE instance_id <> '${SHARED_ROWS}' ORDER BY instance_id LIMIT 1)
       UNION ALL
       SELECT (SELECT instance_id FROM usage_quarters WHERE instance_id > ids.id AND instance_id <> '${SHARED_ROWS}' ORDER BY instance_id LIMIT 1)
       FROM ids WHERE ids.id IS NOT NULL
     )
     SELECT id FROM ids WHERE id IS NOT NULL AND NOT EXISTS (SELECT FROM instances WHERE instances.id = ids.id)`,
  );
  for (const { id } of left) await mergeInstanceUsage(database, id);
}
