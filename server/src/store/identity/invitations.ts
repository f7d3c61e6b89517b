import { ROLES } from "@trunkline/core/role.ts";
import type { Invitation, InvitationStore, OpenInvitation } from "../../identity/organisations/invitation.ts";
import type { Database, Queryable } from "../database/database.ts";
import { parseRole } from "./role-in.ts";

interface InvitationRow {
  id: string;
  account_id: string;
  email: string;
  role: string;
  invited_by: string | null;
  inviter_name: string | null;
  created_at: Date;
  sent_at: Date;
  expires_at: Date;
}

interface OpenInvitationRow extends InvitationRow {
  organisation: string;
  suspended: boolean;
  inviter_role: string | null;
  has_account: boolean;
}

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
    const rows = await this.#database.query<InvitationRow>(
      `SELECT ${INVITATION_COLUMNS} ${FROM_INVITATIONS} WHERE i.account_id = $1 AND ${IS_PENDING} AND ($2::uuid IS NULL OR i.id < $2)
       ORDER BY i.id DESC LIMIT $3`,
      [accountId, cursor ?? null, limit],
    );
    return rows.map(invitationOf);
  }

  find(accountId: string, id: string): Promise<Invitation | undefined> {
    return findInvitation(this.#database, accountId, id);
  }

  findByHash(hash: Buffer): Promise<OpenInvitation | undefined> {
    return findInvitationByHash(this.#database, hash);
  }
}

/** One that waits, whether or not its time is over. */
export async function findInvitation(
  connection: Queryable,
  accountId: string,
  id: string,
): Promise<Invitation | undefined> {
  const rows = await connection.query<InvitationRow>(
    `SELECT ${INVITATION_COLUMNS} ${FROM_INVITATIONS} WHERE i.account_id = $1 AND i.id = $2 AND ${IS_PENDING}`,
    [accountId, id],
  );
  return rows[0] && invitationOf(rows[0]);
}

/** One that waits, by what is kept of its link. */
export async function findInvitationByHash(
  connection: Queryable,
  hash: Buffer,
): Promise<OpenInvitation | undefined> {
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
      row.invited_by === null ? undefined : { id: row.invited_by, name: row.inviter_name ?? "somebody" },
    createdAt: row.created_at,
    sentAt: row.sent_at,
    expiresAt: row.expires_at,
  };
}
