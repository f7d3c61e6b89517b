import type { Allowance, AttemptStore } from "../identity/people/turnstile.ts";
import type { Database } from "./database/database.ts";

/** Strangers' tries in PostgreSQL, on the database's clock. */
export class PostgresAttemptCounts implements AttemptStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Each try moves the moment of forgetting on by its share; it may not move beyond the whole time from now. */
  async count(key: Buffer, { times, minutes }: Allowance): Promise<number | undefined> {
    const share = (minutes * 60) / times;
    const counted = await this.#database.query(
      `INSERT INTO door_tallies AS d (key, forgotten_at) VALUES ($1, now() + make_interval(secs => $2))
       ON CONFLICT (key) DO UPDATE SET forgotten_at = greatest(d.forgotten_at, now()) + make_interval(secs => $2)
       WHERE greatest(d.forgotten_at, now()) + make_interval(secs => $2) <= now() + make_interval(secs => $3)
       RETURNING 1`,
      [key, share, minutes * 60],
    );
    if (counted.length === 1) return undefined;
    const rows = await this.#database.query<{ wait: number }>(
      `SELECT extract(epoch FROM forgotten_at - now())::float8 + $2 - $3 AS wait FROM door_tallies WHERE key = $1`,
      [key, share, minutes * 60],
    );
    return Math.max(1, Math.ceil(rows[0]?.wait ?? 1));
  }

  /** Forgets those who have all their tries again. */
  async sweep(): Promise<void> {
    await this.#database.query("DELETE FROM door_tallies WHERE forgotten_at < now()");
  }
}
