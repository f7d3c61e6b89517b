import type { Queryable } from "../database/database.ts";

/** Makes somebody no member any more, or everybody. Their sessions turn to another organisation of theirs, or end. */
export async function removeMembers(
  connection: Queryable,
  accountId: string,
  personId: string | undefined,
): Promise<void> {
  const whom = [accountId, personId ?? null];
  await connection.query(
    `UPDATE sessions s SET account_id = other.account_id
     FROM (SELECT DISTINCT ON (person_id) person_id, account_id FROM members WHERE account_id <> $1
           ORDER BY person_id, created_at, account_id) other
     WHERE s.account_id = $1 AND other.person_id = s.person_id AND ($2::uuid IS NULL OR s.person_id = $2)`,
    whom,
  );
  await connection.query(
    "DELETE FROM sessions WHERE account_id = $1 AND ($2::uuid IS NULL OR person_id = $2)",
    whom,
  );
  await connection.query(
    `WITH gone AS (DELETE FROM members WHERE account_id = $1 AND ($2::uuid IS NULL OR person_id = $2) RETURNING key_id)
     UPDATE api_keys SET revoked_at = now() WHERE id IN (SELECT key_id FROM gone)`,
    whom,
  );
}
