import type { Database, Queryable } from "../database/database.ts";
import { removeMembers } from "./members.ts";

/** What takes the place of a person's name and address. */
const ERASED = "Erased person";

/** An organisation that a person can't leave behind. */
export interface SoleOwnership {
  readonly id: string;
  readonly name: string;
}

/** All that is stored of a person, and its erasure. */
export class PostgresPersonalData {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** One JSON document; undefined: there is no such person. Secrets and hashes of passwords are not part of it. */
  async export(personId: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const rows = await this.#database.query<{ data: Record<string, unknown> }>(
      `SELECT json_build_object(
         'person', json_build_object('id', p.id, 'email', p.email, 'name', p.name, 'created_at', p.created_at,
           'email_verified_at', p.email_verified_at, 'has_password', p.password_hash IS NOT NULL,
           'has_second_factor', p.totp_confirmed_at IS NOT NULL),
         'organisations', (SELECT coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'role', m.role,
             'since', m.created_at) ORDER BY m.created_at), '[]')
           FROM members m JOIN accounts a ON a.id = m.account_id WHERE m.person_id = p.id),
         'sessions', (SELECT coalesce(json_agg(json_build_object('id', s.id, 'created_at', s.created_at,
             'last_seen_at', s.last_seen_at, 'address', s.address, 'agent', s.agent) ORDER BY s.created_at), '[]')
           FROM sessions s WHERE s.person_id = p.id),
         'passkeys', (SELECT coalesce(json_agg(json_build_object('id', k.id, 'name', k.name, 'created_at', k.created_at)
             ORDER BY k.created_at), '[]') FROM passkeys k WHERE k.person_id = p.id),
         'wallets', (SELECT coalesce(json_agg(json_build_object('address', w.address, 'name', w.name,
             'created_at', w.created_at) ORDER BY w.created_at), '[]') FROM wallets w WHERE w.person_id = p.id),
         'external_identities', (SELECT coalesce(json_agg(json_build_object('account_id', x.account_id, 'issuer', x.issuer,
             'subject', x.subject, 'created_at', x.created_at) ORDER BY x.created_at), '[]')
           FROM external_identities x WHERE x.person_id = p.id),
         'directory_entries', (SELECT coalesce(json_agg(json_build_object('account_id', u.account_id, 'user_name',
             u.user_name, 'email', u.email, 'display_name', u.display_name, 'given_name', u.given_name, 'family_name',
             u.family_name, 'created_at', u.created_at) ORDER BY u.created_at), '[]')
           FROM directory_users u WHERE u.person_id = p.id OR lower(u.email) = lower(p.email)),
         'keys_made', (SELECT coalesce(json_agg(json_build_object('id', k.id, 'name', k.name, 'account_id', k.account_id,
             'created_at', k.created_at) ORDER BY k.created_at), '[]')
           FROM api_keys k WHERE k.made_by = p.id AND NOT k.dashboard),
         'invitations', (SELECT coalesce(json_agg(json_build_object('account_id', i.account_id, 'role', i.role,
             'created_at', i.created_at, 'accepted_at', i.accepted_at) ORDER BY i.created_at), '[]')
           FROM invitations i WHERE lower(i.email) = lower(p.email)),
         'credit_requests', (SELECT coalesce(json_agg(json_build_object('account_id', c.account_id, 'message', c.message,
             'state', c.state, 'created_at', c.created_at) ORDER BY c.created_at), '[]')
           FROM credit_requests c WHERE c.person_id = p.id),
         'audit_log', (SELECT coalesce(json_agg(json_build_object('id', d.id, 'time', d.created_at, 'account_id',
             d.account_id, 'action', d.action, 'subject_id', d.subject_id, 'subject', d.subject_name, 'details', d.details,
             'address', d.address, 'by_you', d.actor_id = p.id) ORDER BY d.id), '[]')
           FROM deeds d WHERE d.actor_id = p.id OR d.subject_id = p.id::text)
       ) AS data FROM people p WHERE p.id = $1`,
      [personId],
    );
    return rows[0]?.data;
  }

  /**
   * Erases a person in one transaction. Returns the organisations of which they are the only owner, where nothing was
   * erased because of them.
   */
  erase(personId: string): Promise<readonly SoleOwnership[]> {
    return this.#database.transaction(async (connection) => {
      const [person] = await connection.query<{ email: string }>("SELECT email FROM people WHERE id = $1 FOR UPDATE", [
        personId,
      ]);
      if (person === undefined) return [];
      const memberships = await connection.query<{ account_id: string }>(
        `SELECT m.account_id FROM members m JOIN accounts a ON a.id = m.account_id WHERE m.person_id = $1
         ORDER BY m.account_id FOR NO KEY UPDATE OF a`,
        [personId],
      );
      const soleOwnerships = await connection.query<{ id: string; name: string }>(
        `SELECT a.id, a.name FROM members m JOIN accounts a ON a.id = m.account_id
         WHERE m.person_id = $1 AND m.role = 'owner' AND NOT EXISTS (
           SELECT 1 FROM members o WHERE o.account_id = m.account_id AND o.role = 'owner' AND o.person_id <> $1)
         ORDER BY a.name`,
        [personId],
      );
      if (soleOwnerships.length > 0) return soleOwnerships;
      for (const { account_id: accountId } of memberships) await removeMembers(connection, accountId, personId);
      await eraseTraces(connection, personId, person.email);
      await connection.query("DELETE FROM people WHERE id = $1", [personId]);
      return [];
    });
  }
}

/** What names the person outside their own row. Sessions, passkeys, codes and links go with that row. */
async function eraseTraces(connection: Queryable, personId: string, email: string): Promise<void> {
  await connection.query(
    "UPDATE api_keys SET name = 'Dashboard', revoked_at = coalesce(revoked_at, now()) WHERE made_by = $1 AND dashboard",
    [personId],
  );
  // An organisation's directory that still has the person sends them again: it is the organisation's to remove them there.
  await connection.query("DELETE FROM directory_users WHERE person_id = $1 OR lower(email) = lower($2)", [
    personId,
    email,
  ]);
  await connection.query("DELETE FROM invitations WHERE lower(email) = lower($1)", [email]);
  await connection.query("DELETE FROM one_time_tokens WHERE person_id = $1 OR lower(data->>'email') = lower($2)", [
    personId,
    email,
  ]);
  await connection.query("SELECT set_config('trunkline.erases_person', 'yes', true)");
  await connection.query(
    `UPDATE deeds SET
       actor_name = CASE WHEN actor_id = $1 THEN $3 ELSE actor_name END,
       subject_name = CASE WHEN subject_id = $1::text OR lower(subject_name) = lower($2) THEN $3 ELSE subject_name END,
       details = regexp_replace(details::text, $4, $3, 'gi')::jsonb,
       address = CASE WHEN actor_id = $1 THEN NULL ELSE address END
     WHERE actor_id = $1 OR subject_id = $1::text OR lower(subject_name) = lower($2) OR details::text ~* $4`,
    [
      personId,
      email,
      ERASED,
      JSON.stringify(email)
        .slice(1, -1)
        .replace(/[^A-Za-z0-9@]/g, "\\$&"),
    ],
  );
  await connection.query("SELECT set_config('trunkline.erases_person', '', true)");
}
