import type { SessionStore } from "../auth/authenticate.ts";
import type { Caller } from "../domain/caller.ts";
import { scopesOf } from "../domain/powers.ts";
import { ROLES } from "../domain/role.ts";
import { CALLER, type CallerRow, callerOf } from "./caller-row.ts";
import type { Database } from "./database.ts";

interface SessionRow extends CallerRow {
  session_id: string;
  person_id: string;
  email: string;
  person_name: string;
  role: string;
}

/** A session counts as seen this often, so that looking at the dashboard is not a write each time. */
const SEEN_EVERY = "interval '1 minute'";

/** Sessions in PostgreSQL. */
export class PostgresSessions implements SessionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Who a session's cookie stands for: a member acting by the key that is theirs in that organisation. */
  async findCaller(hash: Buffer): Promise<Caller | undefined> {
    const rows = await this.#database.query<SessionRow>(
      `WITH seen AS (
         UPDATE sessions SET last_seen_at = now() WHERE hash = $1 AND expires_at > now() AND last_seen_at < now() - ${SEEN_EVERY}
       )
       SELECT ${CALLER}, s.id AS session_id, s.person_id, p.email, p.name AS person_name, m.role
       FROM sessions s JOIN people p ON p.id = s.person_id
         JOIN members m ON m.person_id = s.person_id AND m.account_id = s.account_id
         JOIN accounts a ON a.id = s.account_id JOIN api_keys k ON k.id = m.key_id
       WHERE s.hash = $1 AND s.expires_at > now()`,
      [hash],
    );
    const row = rows[0];
    const role = ROLES.find((known) => known === row?.role);
    if (row === undefined || role === undefined) return undefined;
    return {
      ...callerOf(row),
      scopes: scopesOf(role, row.operator),
      person: {
        id: row.person_id,
        email: row.email,
        name: row.person_name,
        role,
        sessionId: row.session_id,
      },
    };
  }
}
