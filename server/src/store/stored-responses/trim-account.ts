import type { Queryable } from "../database/database.ts";

/** Deletes an account's rows, those used least recently first, until no more than these limits are left. */
export async function trimAccount(
  connection: Queryable,
  table: "stored_responses" | "conversations",
  accountId: string,
  limits: { readonly bytes: number; readonly count: number },
): Promise<void> {
  await connection.query(
    `DELETE FROM ${table} kept USING (
       SELECT id, row_number() OVER newest AS place, sum(bytes) OVER newest AS total FROM ${table}
       WHERE account_id = $1 WINDOW newest AS (ORDER BY expires_at DESC, id DESC)
     ) ranked WHERE kept.id = ranked.id AND (ranked.place > $2 OR ranked.total > $3)`,
    [accountId, limits.count, limits.bytes],
  );
}
