import type { Member, MemberStore } from "../../identity/organisations/member.ts";
import type { Database } from "../database/database.ts";
import { parseRole } from "./role-in.ts";

interface MemberRow {
  id: string;
  name: string;
  email: string;
  role: string;
  joined_at: Date;
  last_seen_at: Date | null;
  two_factor: boolean;
  keys: number;
}

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
    const rows = await this.#database.query<MemberRow>(
      `${SELECT_MEMBER} WHERE m.account_id = $1 AND ($2::uuid IS NULL OR p.id < $2) ORDER BY p.id DESC LIMIT $3`,
      [accountId, cursor ?? null, limit],
    );
    return rows.map(memberOf);
  }

  async find(accountId: string, personId: string): Promise<Member | undefined> {
    const rows = await this.#database.query<MemberRow>(
      `${SELECT_MEMBER} WHERE m.account_id = $1 AND p.id = $2`,
      [accountId, personId],
    );
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
