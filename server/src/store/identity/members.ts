import { ROLES, type Role } from "@trunkline/core/caller.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Member, MemberStore } from "../../identity/organisations/members.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { readPage } from "../database/sql.ts";

type MemberRow = Row<"people", "id" | "name" | "email"> &
  Row<"members", "role"> & {
    joined_at: Date;
    last_seen_at: Date | null;
    two_factor: boolean;
    keys: number;
  };

const SELECT_MEMBER = `
  SELECT p.id, p.name, p.email, m.role, m.created_at AS joined_at,
    (SELECT max(s.last_seen_at) FROM sessions s WHERE s.person_id = p.id AND s.account_id = m.account_id) AS last_seen_at,
    p.totp_confirmed_at IS NOT NULL
      OR (p.password_hash IS NULL AND EXISTS (SELECT 1 FROM passkeys k WHERE k.person_id = p.id)) AS two_factor,
    (SELECT count(*)::int FROM api_keys k
      WHERE k.account_id = m.account_id AND k.made_by = p.id AND k.revoked_at IS NULL AND NOT k.dashboard) AS keys
  FROM members m JOIN people p ON p.id = m.person_id`;

/** The members of organisations, in PostgreSQL. */
export class PostgresMembers implements MemberStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(accountId: string, limit: number, cursor: string | undefined): Promise<Member[]> {
    const select = `${SELECT_MEMBER} WHERE m.account_id = $1`;
    const rows = await readPage<MemberRow>(this.#database, select, [accountId], { limit, cursor }, "p.id");
    return rows.map(memberOf);
  }

  async find(accountId: string, personId: string): Promise<Member | undefined> {
    const rows = await this.#database.query<MemberRow>(`${SELECT_MEMBER} WHERE m.account_id = $1 AND p.id = $2`, [
      accountId,
      personId,
    ]);
    return rows[0] && memberOf(rows[0]);
  }
}

function memberOf(row: MemberRow): Member {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    role: parseRole(row),
    joinedAt: row.joined_at,
    lastSeenAt: row.last_seen_at ?? undefined,
    twoFactor: row.two_factor,
    keys: row.keys,
  };
}

/** The rate limit of a member in the dashboard, whose pages send several requests at once. */
const REQUESTS_PER_MINUTE = 1_200;

/** Adds a member to an organisation, with the key by which they act in it. The key has no secret: only a session uses it. */
export async function addMember(
  connection: Queryable,
  accountId: string,
  { id: personId, email }: { readonly id: string; readonly email: string },
  role: Role,
): Promise<void> {
  const keyId = newId();
  await connection.query(
    `INSERT INTO api_keys (id, account_id, name, scopes, requests_per_minute, dashboard, made_by)
     VALUES ($1, $2, $3, '{}', $4, true, $5)`,
    [keyId, accountId, `Dashboard (${email})`, REQUESTS_PER_MINUTE, personId],
  );
  await connection.query("INSERT INTO members (account_id, person_id, role, key_id) VALUES ($1, $2, $3, $4)", [
    accountId,
    personId,
    role,
    keyId,
  ]);
}

/** Removes one member or all of them. Their sessions switch to another organisation of theirs, or end. */
export async function removeMembers(
  connection: Queryable,
  accountId: string,
  personId: string | undefined,
): Promise<void> {
  const whom = [accountId, personId ?? null];
  await connection.query(
    `UPDATE sessions s SET account_id = other.account_id
     FROM (SELECT DISTINCT ON (m.person_id) m.person_id, m.account_id FROM members m
             JOIN accounts a ON a.id = m.account_id AND NOT a.sso_enforced WHERE m.account_id <> $1
           ORDER BY m.person_id, m.created_at, m.account_id) other
     WHERE s.account_id = $1 AND s.sso_account_id IS NULL AND other.person_id = s.person_id AND ($2::uuid IS NULL OR s.person_id = $2)`,
    whom,
  );
  await connection.query("DELETE FROM sessions WHERE account_id = $1 AND ($2::uuid IS NULL OR person_id = $2)", whom);
  await connection.query(
    `WITH gone AS (DELETE FROM members WHERE account_id = $1 AND ($2::uuid IS NULL OR person_id = $2) RETURNING key_id)
     UPDATE api_keys SET revoked_at = now() WHERE id IN (SELECT key_id FROM gone)`,
    whom,
  );
}

/** The role in a row. The table's constraint admits no other. */
export function parseRole({ role }: Row<"members", "role">): Role {
  const known = ROLES.find((one) => one === role);
  if (known === undefined) throw new Error(`The store holds the role "${role}", which there is not.`);
  return known;
}
