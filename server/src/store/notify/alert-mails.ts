import { EVENT_TYPES } from "@trunkline/core/alerts.ts";
import { newId } from "@trunkline/core/id.ts";
import type { AlertMailStore, ClaimedAlertMail } from "../../notify/mail/alert-mailer.ts";
import type { WebhookEvent } from "../../notify/webhooks/deliver.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";

type ClaimedRow = Row<"alert_mails", "id" | "type" | "body" | "attempts"> & Row<"people", "email">;

/** The alert mails that wait, in PostgreSQL. */
export class PostgresAlertMails implements AlertMailStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async claim(most: number, leaseMs: number): Promise<ClaimedAlertMail[]> {
    const rows = await this.#database.query<ClaimedRow>(
      `UPDATE alert_mails m SET attempts = m.attempts + 1, next_attempt_at = now() + $2 * interval '1 millisecond'
       FROM people p
       WHERE p.id = m.person_id AND m.id IN (
         SELECT id FROM alert_mails WHERE next_attempt_at <= now() ORDER BY next_attempt_at LIMIT $1 FOR UPDATE SKIP LOCKED
       ) RETURNING m.id, m.type, m.body, m.attempts, p.email`,
      [most, leaseMs],
    );
    return rows.map(({ id, type, body, attempts, email }) => {
      const known = EVENT_TYPES.find((each) => each === type);
      if (known === undefined) throw new Error(`The store holds "${type}" where a type of event belongs.`);
      return { id, to: email, type: known, body, attempt: attempts };
    });
  }

  async dueInMs(): Promise<number | undefined> {
    const rows = await this.#database.query<{ ms: number | null }>(
      "SELECT (extract(epoch FROM min(next_attempt_at) - now()) * 1000)::double precision AS ms FROM alert_mails",
    );
    const ms = rows[0]?.ms ?? undefined;
    return ms === undefined ? undefined : Math.max(0, ms);
  }

  async remove({ id }: ClaimedAlertMail): Promise<void> {
    await this.#database.query("DELETE FROM alert_mails WHERE id = $1", [id]);
  }

  async retryIn({ id, attempt }: ClaimedAlertMail, pauseMs: number): Promise<void> {
    // Where the lease ran out before the server answered, the attempt belongs to another instance by now.
    await this.#database.query(
      "UPDATE alert_mails SET next_attempt_at = now() + $3 * interval '1 millisecond' WHERE id = $1 AND attempts = $2",
      [id, attempt, pauseMs],
    );
  }
}

/** Writes an e-mail of an alert for each member of the account who looks after its bills. Returns their number. */
export async function enqueueAlertMails(
  connection: Queryable,
  accountId: string,
  event: WebhookEvent,
): Promise<number> {
  const people = await connection.query<Row<"members", "person_id">>(
    "SELECT person_id FROM members WHERE account_id = $1 AND role NOT IN ('developer', 'viewer') ORDER BY person_id",
    [accountId],
  );
  if (people.length === 0) return 0;
  await connection.query(
    `INSERT INTO alert_mails (id, account_id, person_id, type, body)
     SELECT id, $3, person_id, $4, $5 FROM unnest($1::uuid[], $2::uuid[]) AS t(id, person_id)`,
    [people.map(() => newId()), people.map((person) => person.person_id), accountId, event.type, event.body],
  );
  return people.length;
}
