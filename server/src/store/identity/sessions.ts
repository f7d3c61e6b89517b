import { type Caller, ROLES } from "@trunkline/core/caller.ts";
import { grantableScopes } from "@trunkline/core/permissions.ts";
import type { SessionLookup } from "../../identity/auth/authenticate.ts";
import type {
  ActiveSession,
  NewSession,
  TokenContent,
  TokenPurpose,
  TokenStore,
} from "../../identity/people/person.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { readPage } from "../database/sql.ts";
import { type AccountLimits, CALLER_COLUMNS, type CallerRow, callerOf } from "./caller-row.ts";

/** A session ends after 14 days without use, and after 90 days in any case. */
const IDLE_LIMIT = "interval '14 days'";
const LIFETIME = "interval '90 days'";
const IS_ALIVE = `expires_at > now() AND last_seen_at > now() - ${IDLE_LIMIT}`;
/** How long a log-in counts as fresh, so that no password is asked for again. */
const FRESH_FOR = "interval '15 minutes'";

type SessionRow = CallerRow &
  Row<"people", "email"> &
  Row<"members", "role"> & {
    session_id: string;
    person_id: string;
    person_name: string;
    by_sso: boolean;
  };

/** Whether a session `s` reaches an account `a`: by its identity provider, or by the person's own means where these are allowed. */
const REACHES = "(s.sso_account_id = a.id OR (s.sso_account_id IS NULL AND NOT a.sso_enforced))";

/** How often `last_seen_at` is written: not on every request of the dashboard. */
const SEEN_EVERY = "interval '1 minute'";

/** Sessions in PostgreSQL. */
export class PostgresSessions implements SessionLookup {
  readonly #database: Database;
  readonly #limits: AccountLimits;

  /** `limits` hold for accounts without a ceiling of their own, and may change. */
  constructor(database: Database, limits: AccountLimits) {
    this.#database = database;
    this.#limits = limits;
  }

  /** The caller of a session's cookie: a member, with their key in that organisation. */
  async findCaller(hash: Buffer): Promise<Caller | undefined> {
    const rows = await this.#database.query<SessionRow>(
      `WITH seen AS (
         UPDATE sessions SET last_seen_at = now() WHERE hash = $1 AND ${IS_ALIVE} AND last_seen_at < now() - ${SEEN_EVERY}
       )
       SELECT ${CALLER_COLUMNS}, s.id AS session_id, s.person_id, p.email, p.name AS person_name, m.role,
         s.sso_account_id IS NOT NULL AS by_sso
       FROM sessions s JOIN people p ON p.id = s.person_id
         JOIN members m ON m.person_id = s.person_id AND m.account_id = s.account_id
         JOIN accounts a ON a.id = s.account_id JOIN api_keys k ON k.id = m.key_id
       WHERE s.hash = $1 AND s.expires_at > now() AND s.last_seen_at > now() - ${IDLE_LIMIT} AND ${REACHES}`,
      [hash],
    );
    const row = rows[0];
    const role = ROLES.find((known) => known === row?.role);
    if (row === undefined || role === undefined) return undefined;
    return {
      ...callerOf(row, this.#limits.accountRequestsPerMinute),
      scopes: grantableScopes(role, row.operator),
      person: {
        id: row.person_id,
        email: row.email,
        name: row.person_name,
        role,
        sessionId: row.session_id,
        bySso: row.by_sso,
      },
    };
  }

  /**
   * Opens a session, and ends the one that the same browser had. False where the password changed meanwhile: the lock makes
   * a change of the password wait, and then end this session with the others.
   */
  async open(draft: NewSession): Promise<boolean> {
    const { id, hash, personId, passwordHash, accountId, address, agent, replaces, bySso } = draft;
    return this.#database.transaction(async (connection) => {
      if (replaces !== undefined) await connection.query("DELETE FROM sessions WHERE hash = $1", [replaces]);
      const opened = await connection.query(
        `INSERT INTO sessions (id, hash, person_id, account_id, address, agent, expires_at, sso_account_id)
         SELECT $1, $2, p.id, $4, $5, $6, now() + ${LIFETIME}, CASE WHEN $8 THEN $4::uuid END FROM people p
         WHERE p.id = $3 AND p.password_hash IS NOT DISTINCT FROM $7 FOR SHARE RETURNING 1`,
        [id, hash, personId, accountId, address, agent, passwordHash ?? null, bySso === true],
      );
      return opened.length === 1;
    });
  }

  /** Whether the log-in is at most 15 minutes old. */
  async isFresh(id: string): Promise<boolean> {
    const rows = await this.#database.query(
      `SELECT 1 FROM sessions WHERE id = $1 AND created_at > now() - ${FRESH_FOR}`,
      [id],
    );
    return rows.length === 1;
  }

  /** Switches a session to another organisation; false where its owner is no member there. */
  async lookAt(id: string, accountId: string): Promise<boolean> {
    const rows = await this.#database.query(
      `UPDATE sessions s SET account_id = $2 FROM members m JOIN accounts a ON a.id = m.account_id
       WHERE s.id = $1 AND m.person_id = s.person_id AND m.account_id = $2 AND ${REACHES} RETURNING 1`,
      [id, accountId],
    );
    return rows.length === 1;
  }

  async list(personId: string, limit: number, cursor: string | undefined): Promise<ActiveSession[]> {
    const rows = await readPage<OpenSessionRow>(
      this.#database,
      `SELECT s.id, s.address, s.agent, a.name AS organisation, s.created_at, s.last_seen_at, s.expires_at
       FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.person_id = $1 AND ${IS_ALIVE}`,
      [personId],
      { limit, cursor },
      "s.id",
    );
    return rows.map((row) => ({
      id: row.id,
      address: row.address,
      agent: row.agent,
      organisation: row.organisation,
      createdAt: row.created_at,
      lastSeenAt: row.last_seen_at,
      expiresAt: row.expires_at,
    }));
  }

  async end(personId: string, id: string): Promise<boolean> {
    const rows = await this.#database.query("DELETE FROM sessions WHERE person_id = $1 AND id = $2 RETURNING 1", [
      personId,
      id,
    ]);
    return rows.length === 1;
  }

  /** Ends all sessions of a person, or all but one. */
  async endAll(personId: string, butId?: string): Promise<void> {
    await this.#database.query("DELETE FROM sessions WHERE person_id = $1 AND ($2::uuid IS NULL OR id <> $2)", [
      personId,
      butId ?? null,
    ]);
  }

  /** Ends the sessions that the identity provider of an organisation opened. */
  async endSso(accountId: string): Promise<void> {
    await this.#database.query("DELETE FROM sessions WHERE sso_account_id = $1", [accountId]);
  }

  /** Deletes sessions that are over. */
  async sweep(): Promise<void> {
    await this.#database.query(`DELETE FROM sessions WHERE NOT (${IS_ALIVE})`);
  }
}

type OpenSessionRow = Row<"sessions", "id" | "address" | "agent" | "created_at" | "last_seen_at" | "expires_at"> & {
  organisation: string;
};

type TokenRow = Row<"one_time_tokens", "person_id"> & { readonly data: TokenContent["data"] };

/** One-time tokens in PostgreSQL, by their hashes. */
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

  /** Deletes expired tokens. */
  async sweep(): Promise<void> {
    await this.#database.query("DELETE FROM one_time_tokens WHERE expires_at < now()");
  }

  async #one(text: string, values: readonly unknown[]): Promise<TokenContent | undefined> {
    const [row] = await this.#database.query<TokenRow>(text, values);
    return row && { personId: row.person_id ?? undefined, data: row.data };
  }
}
