import { ROLES, type Role } from "@trunkline/core/caller.ts";
import type {
  Invitation,
  InvitationStore,
  Membership,
  MembershipLock,
  NewInvitation,
  OpenInvitation,
} from "../../identity/organisations/membership.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { readPage } from "../database/sql.ts";
import { addMember, parseRole, removeMembers } from "./members.ts";

/** Members and invitations in PostgreSQL, one change of an organisation at a time. */
export class PostgresMembershipLock implements MembershipLock {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The lock is the weakest that excludes itself: requests, which only refer to the account, don't wait for it. */
  withLock<Result>(accountId: string, work: (membership: Membership) => Promise<Result>): Promise<Result> {
    return this.#database.transaction(async (connection) => {
      await connection.query("SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE", [accountId]);
      return work(membershipOf(connection, accountId));
    });
  }
}

function membershipOf(connection: Queryable, accountId: string): Membership {
  const run = async (text: string, values: readonly unknown[]): Promise<void> => {
    await connection.query(text, values);
  };
  const roleOf = async (personId: string): Promise<Role | undefined> => {
    const rows = await connection.query<Row<"members", "role">>(
      "SELECT role FROM members WHERE account_id = $1 AND person_id = $2",
      [accountId, personId],
    );
    return rows[0] && parseRole(rows[0]);
  };
  return {
    roleOf,
    async hasOtherOwner(personId) {
      const rows = await connection.query(
        "SELECT 1 FROM members WHERE account_id = $1 AND role = 'owner' AND person_id <> $2 LIMIT 1",
        [accountId, personId],
      );
      return rows.length > 0;
    },
    changeRole: (personId, role) =>
      run("UPDATE members SET role = $3 WHERE account_id = $1 AND person_id = $2", [accountId, personId, role]),
    async remove(personId, revokeKeys) {
      await removeMembers(connection, accountId, personId);
      if (!revokeKeys) return 0;
      const revoked = await connection.query(
        `UPDATE api_keys SET revoked_at = now()
         WHERE account_id = $1 AND made_by = $2 AND revoked_at IS NULL AND NOT dashboard RETURNING id`,
        [accountId, personId],
      );
      return revoked.length;
    },
    async hasMember(email) {
      const rows = await connection.query(
        "SELECT 1 FROM members m JOIN people p ON p.id = m.person_id WHERE m.account_id = $1 AND lower(p.email) = lower($2)",
        [accountId, email],
      );
      return rows.length > 0;
    },
    async join(person, role, sessionId) {
      // A person who became a member by another way meanwhile keeps their role.
      if ((await roleOf(person.id)) === undefined) await addMember(connection, accountId, person, role);
      if (sessionId !== undefined)
        await run("UPDATE sessions SET account_id = $2 WHERE id = $1", [sessionId, accountId]);
    },
    async createPerson({ id, email, name, passwordHash, isVerified }) {
      const made = await connection.query(
        `INSERT INTO people (id, email, name, password_hash, email_verified_at) VALUES ($1, $2, $3, $4, CASE WHEN $5::boolean THEN now() END)
         ON CONFLICT DO NOTHING RETURNING id`,
        [id, email, name, passwordHash, isVerified],
      );
      return made.length > 0;
    },
    async emailsSince(moment) {
      const rows = await connection.query<{ letters: number }>(
        "SELECT coalesce(sum(letters), 0)::int AS letters FROM invitations WHERE account_id = $1 AND sent_at > $2",
        [accountId, moment],
      );
      return rows[0]?.letters ?? 0;
    },
    findInvitation: (id) => findInvitation(connection, accountId, id),
    findByHash: (hash) => findInvitationByHash(connection, hash),
    async invite({ id, email, role, hash, invitedBy, expiresAt }: NewInvitation) {
      await run(
        `UPDATE invitations SET revoked_at = now()
         WHERE account_id = $1 AND lower(email) = lower($2) AND accepted_at IS NULL AND revoked_at IS NULL`,
        [accountId, email],
      );
      await run(
        "INSERT INTO invitations (id, account_id, email, role, hash, invited_by, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        [id, accountId, email, role, hash, invitedBy, expiresAt],
      );
    },
    renew: (id, { hash, invitedBy, expiresAt }) =>
      run(
        `UPDATE invitations SET hash = $3, invited_by = $4, expires_at = $5, letters = letters + 1, sent_at = now()
         WHERE account_id = $1 AND id = $2`,
        [accountId, id, hash, invitedBy, expiresAt],
      ),
    revoke: (id) => run("UPDATE invitations SET revoked_at = now() WHERE account_id = $1 AND id = $2", [accountId, id]),
    markUsed: (id) =>
      run("UPDATE invitations SET accepted_at = now() WHERE account_id = $1 AND id = $2", [accountId, id]),
  };
}

type InvitationRow = Row<
  "invitations",
  "id" | "account_id" | "email" | "role" | "invited_by" | "created_at" | "sent_at" | "expires_at"
> & { inviter_name: string | null };

type OpenInvitationRow = InvitationRow & {
  organisation: string;
  suspended: boolean;
  inviter_role: string | null;
  has_account: boolean;
};

const INVITATION_COLUMNS =
  "i.id, i.account_id, i.email, i.role, i.invited_by, p.name AS inviter_name, i.created_at, i.sent_at, i.expires_at";
const FROM_INVITATIONS = "FROM invitations i LEFT JOIN people p ON p.id = i.invited_by";
const IS_PENDING = "i.accepted_at IS NULL AND i.revoked_at IS NULL";

/** Invitations in PostgreSQL. */
export class PostgresInvitations implements InvitationStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(accountId: string, limit: number, cursor: string | undefined): Promise<Invitation[]> {
    const select = `SELECT ${INVITATION_COLUMNS} ${FROM_INVITATIONS} WHERE i.account_id = $1 AND ${IS_PENDING}`;
    const rows = await readPage<InvitationRow>(this.#database, select, [accountId], { limit, cursor }, "i.id");
    return rows.map(invitationOf);
  }

  find(accountId: string, id: string): Promise<Invitation | undefined> {
    return findInvitation(this.#database, accountId, id);
  }

  findByHash(hash: Buffer): Promise<OpenInvitation | undefined> {
    return findInvitationByHash(this.#database, hash);
  }
}

/** Finds a pending invitation, expired or not. */
async function findInvitation(connection: Queryable, accountId: string, id: string): Promise<Invitation | undefined> {
  const rows = await connection.query<InvitationRow>(
    `SELECT ${INVITATION_COLUMNS} ${FROM_INVITATIONS} WHERE i.account_id = $1 AND i.id = $2 AND ${IS_PENDING}`,
    [accountId, id],
  );
  return rows[0] && invitationOf(rows[0]);
}

/** Finds a pending invitation by the hash of its link. */
async function findInvitationByHash(connection: Queryable, hash: Buffer): Promise<OpenInvitation | undefined> {
  const rows = await connection.query<OpenInvitationRow>(
    `SELECT ${INVITATION_COLUMNS}, a.name AS organisation, a.suspended_at IS NOT NULL AS suspended, m.role AS inviter_role,
       EXISTS (SELECT 1 FROM people o WHERE lower(o.email) = lower(i.email)) AS has_account
     ${FROM_INVITATIONS} JOIN accounts a ON a.id = i.account_id
       LEFT JOIN members m ON m.account_id = i.account_id AND m.person_id = i.invited_by
     WHERE i.hash = $1 AND ${IS_PENDING}`,
    [hash],
  );
  const row = rows[0];
  return (
    row && {
      ...invitationOf(row),
      organisation: row.organisation,
      suspended: row.suspended,
      inviterRole: ROLES.find((role) => role === row.inviter_role),
      hasAccount: row.has_account,
    }
  );
}

function invitationOf(row: InvitationRow): Invitation {
  return {
    id: row.id,
    accountId: row.account_id,
    email: row.email,
    role: parseRole(row),
    invitedBy:
      row.invited_by === null ? undefined : { id: row.invited_by, name: row.inviter_name ?? "a former member" },
    createdAt: row.created_at,
    sentAt: row.sent_at,
    expiresAt: row.expires_at,
  };
}
