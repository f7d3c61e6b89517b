import type { StickySession, StickySessionStore } from "@trunkline/router/rank/sticky-sessions.ts";
import type { Database } from "../database/database.ts";

/** Which model each session stays with, in PostgreSQL, for all instances. */
export class PostgresStickySessions implements StickySessionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(accountId: string, session: Buffer, now: Date) {
    const [row] = await this.#database.query<{ model: string; expires_at: Date }>(
      "SELECT model, expires_at FROM session_models WHERE account_id = $1 AND session = $2 AND expires_at > $3",
      [accountId, session, now],
    );
    return row && { model: row.model, expiresAt: row.expires_at };
  }

  async keep(sessions: readonly StickySession[]): Promise<void> {
    // Always in one order, so that two instances never wait for each other's rows.
    const sorted = sessions.toSorted((one, other) => Buffer.compare(one.session, other.session));
    await this.#database.query(
      `INSERT INTO session_models AS kept (account_id, session, model, expires_at)
       SELECT * FROM unnest($1::uuid[], $2::bytea[], $3::text[], $4::timestamptz[])
       ON CONFLICT (account_id, session) DO UPDATE SET model = EXCLUDED.model, expires_at = EXCLUDED.expires_at
       WHERE kept.expires_at <= EXCLUDED.expires_at`,
      [
        sorted.map(({ accountId }) => accountId),
        sorted.map(({ session }) => session),
        sorted.map(({ model }) => model),
        sorted.map(({ expiresAt }) => expiresAt),
      ],
    );
  }

  async sweep(now: Date): Promise<void> {
    await this.#database.query("DELETE FROM session_models WHERE expires_at <= $1", [now]);
  }
}
