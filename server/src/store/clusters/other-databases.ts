import type { Database, Queryable } from "../database/database.ts";

/** The databases that have rows which belong to an answer, besides the one that is read. */
export interface OtherDatabases {
  /** Those with records of an account. */
  ofAccount(accountId: string): readonly Database[];
  all(): readonly Database[];
}

/** A service with one database. */
export const NO_OTHERS: OtherDatabases = { ofAccount: () => [], all: () => [] };

interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/**
 * A statement whose rows are those of one database and of others together: theirs are read first and passed as a value.
 * `compose` makes the statement for a database, without an order; `columns` are its columns in their order, with types.
 */
export async function composeOverAll(
  own: Queryable,
  others: readonly Queryable[],
  columns: string,
  compose: (connection: Queryable) => Statement | Promise<Statement>,
): Promise<Statement> {
  const statement = await compose(own);
  if (others.length === 0) return statement;
  const values = [...statement.values];
  const parts = [statement.sql];
  for (const other of others) {
    const { sql, values: given } = await compose(other);
    const rows = await other.query<{ rows: string }>(
      `SELECT coalesce(json_agg(t), '[]')::text AS rows FROM (${sql}) AS t`,
      given,
    );
    parts.push(`SELECT * FROM json_to_recordset($${values.push(rows[0]?.rows ?? "[]")}::json) AS t (${columns})`);
  }
  return { sql: parts.join(" UNION ALL "), values };
}
