import type { StickySession, StickySessionStore } from "@trunkline/router/rank/sticky-sessions.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { rowsOf } from "../database/sql.ts";

/** Which model each session stays with, in PostgreSQL, for all instances. */
export class PostgresStickySessions implements StickySessionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(accountId: string, session: Buffer, now: Date) {
    const [row] = await this.#database.query<Row<"session_models", "model" | "expires_at">>(
      "SELECT model, expires_at FROM session_models WHERE account_id = $1 AND session = $2 AND expires_at > $3",
      [accountId, session, now],
    );
    return row && { model: row.model, expiresAt: row.expires_at };
  }

  async keep(sessions: readonly StickySession[]): Promise<void> {
    // In one order everywhere: two instances that write the same rows must not deadlock.
    const sorted = sessions.toSorted((one, other) => Buffer.compare(one.session, other.session));
    const { names, from, values } = rowsOf(sorted, {
      account_id: ["uuid", ({ accountId }) => accountId],
      session: ["bytea", ({ session }) => session],
      model: ["text", ({ model }) => model],
      expires_at: ["timestamptz", ({ expiresAt }) => expiresAt],
    });
    await this.#database.query(
      `INSERT INTO session_models AS kept (${names}) SELECT * FROM ${from}
       ON CONFLICT (account_id, session) DO UPDATE SET model = EXCLUDED.model, expires_at = EXCLUDED.expires_at
       WHERE kept.expires_at <= EXCLUDED.expires_at`,
      values,
    );
  }

  async sweep(now: Date): Promise<void> {
    await this.#database.query("DELETE FROM session_models WHERE expires_at <= $1", [now]);
  }
}
