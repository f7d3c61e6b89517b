import type { Allowance, AttemptStore } from "../identity/people/attempt-limiter.ts";
import type { RateState, RateWindows, UpdateWindow } from "../ledger/limits/token-bucket.ts";
import type { Database } from "./database/database.ts";

/** A state covers the last minute, so an older one can be deleted. */
const WINDOW_RETENTION = "5 minutes";

/** NULL where the key has no state. */
interface WindowRow {
  readonly version: bigint | null;
  readonly state: RateState | null;
  readonly now_ms: number;
}

/** Rate limits in PostgreSQL: one row per key, shared by all instances, on the database's clock. */
export class PostgresRateWindows implements RateWindows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Read, compute, and write if no other instance wrote in between. No lock outlives a statement, so a stalled instance blocks no other. */
  async update<Answer>(keyId: string, updateWindow: UpdateWindow<Answer>): Promise<Answer> {
    for (;;) {
      const [row] = await this.#database.query<WindowRow>(
        `SELECT w.version, w.state, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms
         FROM (SELECT 1) one LEFT JOIN rate_windows w ON w.key_id = $1`,
        [keyId],
        "read-rate-window",
      );
      if (row === undefined) throw new Error("The store returned no time.");
      const { state, answer } = updateWindow(row.state ?? undefined, row.now_ms);
      const written = await this.#database.query(
        `INSERT INTO rate_windows AS w (key_id, version, state) VALUES ($1, $2::bigint + 1, $3)
         ON CONFLICT (key_id) DO UPDATE SET version = EXCLUDED.version, state = EXCLUDED.state, touched_at = now()
         WHERE w.version = $2 RETURNING 1`,
        [keyId, row.version ?? 0n, JSON.stringify(state)],
        "write-rate-window",
      );
      if (written.length === 1) return answer;
    }
  }

  /** Deletes the rows of keys that are not in use. */
  async sweep(): Promise<void> {
    await this.#database.query(`DELETE FROM rate_windows WHERE touched_at < now() - interval '${WINDOW_RETENTION}'`);
  }
}

/** Attempts of unauthenticated clients in PostgreSQL, on the database's clock. */
export class PostgresAttemptCounts implements AttemptStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Each attempt moves `forgotten_at` on by its share of the whole time, and is refused where that leads beyond the whole time from now. */
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

  /** Deletes the rows of clients that have all their attempts again. */
  async sweep(): Promise<void> {
    await this.#database.query("DELETE FROM door_tallies WHERE forgotten_at < now()");
  }
}
