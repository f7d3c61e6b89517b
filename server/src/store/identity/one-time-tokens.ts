import type { TokenContent, TokenPurpose, TokenStore } from "../../identity/people/person.ts";
import type { Database } from "../database/database.ts";

interface TokenRow {
  person_id: string | null;
  data: Record<string, unknown>;
}

/** Links and tickets in PostgreSQL, by their hashes. */
export class PostgresOneTimeTokens implements TokenStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async put(
    hash: Buffer,
    purpose: TokenPurpose,
    { personId, data }: TokenContent,
    lifetimeSeconds: number,
  ): Promise<void> {
    await this.#database.query(
      `INSERT INTO one_time_tokens (hash, purpose, person_id, data, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
      [hash, purpose, personId ?? null, JSON.stringify(data), lifetimeSeconds],
    );
  }

  peek(hash: Buffer, purpose: TokenPurpose): Promise<TokenContent | undefined> {
    return this.#one(
      "SELECT person_id, data FROM one_time_tokens WHERE hash = $1 AND purpose = $2 AND expires_at > now()",
      [hash, purpose],
    );
  }

  consume(hash: Buffer, purpose: TokenPurpose): Promise<TokenContent | undefined> {
    return this.#one(
      "DELETE FROM one_time_tokens WHERE hash = $1 AND purpose = $2 AND expires_at > now() RETURNING person_id, data",
      [hash, purpose],
    );
  }

  countAttempt(hash: Buffer, purpose: TokenPurpose, most: number): Promise<TokenContent | undefined> {
    return this.#one(
      `UPDATE one_time_tokens SET data = data || jsonb_build_object('tries', coalesce((data->>'tries')::int, 0) + 1)
       WHERE hash = $1 AND purpose = $2 AND expires_at > now() AND coalesce((data->>'tries')::int, 0) < $3
       RETURNING person_id, data`,
      [hash, purpose, most],
    );
  }

  async revoke(purpose: TokenPurpose, personId?: string): Promise<void> {
    await this.#database.query(
      "DELETE FROM one_time_tokens WHERE purpose = $1 AND ($2::uuid IS NULL OR person_id = $2)",
      [purpose, personId ?? null],
    );
  }

  /** Forgets what can't be used any more. */
  async sweep(): Promise<void> {
    await this.#database.query("DELETE FROM one_time_tokens WHERE expires_at < now()");
  }

  async #one(text: string, values: readonly unknown[]): Promise<TokenContent | undefined> {
    const [row] = await this.#database.query<TokenRow>(text, values);
    return row && { personId: row.person_id ?? undefined, data: row.data };
  }
}
