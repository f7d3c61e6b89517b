import type { Role } from "@trunkline/core/role.ts";
import type { Membership, MembershipLock, NewInvitation } from "../../identity/organisations/roll.ts";
import type { Database, Queryable } from "../database/database.ts";
import { findInvitation, findInvitationByHash } from "./invitations.ts";
import { removeMembers } from "./let-go.ts";
import { addMember } from "./members.ts";
import { parseRole } from "./role-in.ts";

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
    const rows = await connection.query<{ role: string }>(
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
      run("UPDATE members SET role = $3 WHERE account_id = $1 AND person_id = $2", [
        accountId,
        personId,
        role,
      ]),
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
      // Somebody may have come in by another way meanwhile: they stay what they are.
      if ((await roleOf(person.id)) === undefined) await addMember(connection, accountId, person, role);
      if (sessionId !== undefined)
        await run("UPDATE sessions SET account_id = $2 WHERE id = $1", [sessionId, accountId]);
    },
    async createPerson({ id, email, name, passwordHash }) {
      const made = await connection.query(
        `INSERT INTO people (id, email, name, password_hash, email_verified_at) VALUES ($1, $2, $3, $4, now())
         ON CONFLICT DO NOTHING RETURNING id`,
        [id, email, name, passwordHash],
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
    revoke: (id) =>
      run("UPDATE invitations SET revoked_at = now() WHERE account_id = $1 AND id = $2", [accountId, id]),
    markUsed: (id) =>
      run("UPDATE invitations SET accepted_at = now() WHERE account_id = $1 AND id = $2", [accountId, id]),
  };
}
