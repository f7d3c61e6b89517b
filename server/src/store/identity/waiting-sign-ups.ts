import type { WaitingSignUp, WaitingSignUpStore } from "../../identity/people/waiting-sign-ups.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";

type SignUpRow = Row<"one_time_tokens", "created_at" | "expires_at"> & {
  id: string;
  email: string;
  name: string;
  organisation: string | null;
  password_hash: string | null;
  browser: string;
};

/** Sign-ups are one-time tokens: several of one sign-up have its id. */
const WAITING = `SELECT DISTINCT ON (t.data->>'id') t.data->>'id' AS id, t.data->>'email' AS email, t.data->>'name' AS name,
    t.data->>'organisation' AS organisation, t.data->>'passwordHash' AS password_hash, t.data->>'browser' AS browser,
    t.created_at, max(t.expires_at) OVER (PARTITION BY t.data->>'id') AS expires_at
  FROM one_time_tokens t
  WHERE t.purpose = 'sign-up' AND t.expires_at > now() AND t.data ? 'id'
    AND NOT EXISTS (SELECT 1 FROM people p WHERE lower(p.email) = lower(t.data->>'email'))
  ORDER BY t.data->>'id', t.created_at`;

/** Sign-ups that wait for their address to be confirmed, in PostgreSQL. */
export class PostgresWaitingSignUps implements WaitingSignUpStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(limit: number, cursor: string | undefined): Promise<WaitingSignUp[]> {
    const rows = await this.#database.query<SignUpRow>(
      `SELECT * FROM (${WAITING}) w WHERE $1::text IS NULL OR w.id < $1 ORDER BY w.id DESC LIMIT $2`,
      [cursor ?? null, limit],
    );
    return rows.map(signUpOf);
  }

  find(id: string): Promise<WaitingSignUp | undefined> {
    return this.#newest("w.id = $1", id);
  }

  findByEmail(email: string): Promise<WaitingSignUp | undefined> {
    return this.#newest("lower(w.email) = lower($1)", email);
  }

  findByBrowser(browser: string): Promise<WaitingSignUp | undefined> {
    return this.#newest("w.browser = $1", browser);
  }

  async remove(id: string): Promise<boolean> {
    const rows = await this.#database.query(
      "DELETE FROM one_time_tokens WHERE purpose = 'sign-up' AND data->>'id' = $1 RETURNING 1",
      [id],
    );
    return rows.length > 0;
  }

  async #newest(condition: string, value: string): Promise<WaitingSignUp | undefined> {
    const [row] = await this.#database.query<SignUpRow>(
      `SELECT * FROM (${WAITING}) w WHERE ${condition} ORDER BY w.id DESC LIMIT 1`,
      [value],
    );
    return row && signUpOf(row);
  }
}

function signUpOf(row: SignUpRow): WaitingSignUp {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    organisation: row.organisation ?? undefined,
    passwordHash: row.password_hash ?? undefined,
    browser: row.browser,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
