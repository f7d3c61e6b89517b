import type { AuditEvent, NewAuditEvent } from "@trunkline/core/audit-event.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Database } from "../database/database.ts";

interface AuditEventRow {
  id: string;
  account_id: string;
  actor: string;
  actor_id: string | null;
  actor_name: string;
  action: string;
  subject_id: string | null;
  subject_name: string | null;
  details: Record<string, unknown>;
  address: string | null;
  created_at: Date;
}

/** What of the audit log is wanted. */
export interface AuditEventFilter {
  /** undefined: of all accounts, which is for the operator alone. */
  readonly accountId: string | undefined;
  readonly actorId?: string | undefined;
  /** An action, or the beginning of some, such as `key.`. */
  readonly action?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** The audit log in PostgreSQL. It is append-only. */
export class PostgresAuditLog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async record(event: NewAuditEvent): Promise<void> {
    await this.#database.query(
      `INSERT INTO deeds (id, account_id, actor, actor_id, actor_name, action, subject_id, subject_name, details, address)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        newId(),
        event.accountId,
        event.actor.kind,
        event.actor.id ?? null,
        event.actor.name,
        event.action,
        event.subjectId ?? null,
        event.subjectName ?? null,
        JSON.stringify(event.details),
        event.address ?? null,
      ],
    );
  }

  async list(filter: AuditEventFilter, limit: number, cursor: string | undefined): Promise<AuditEvent[]> {
    const rows = await this.#database.query<AuditEventRow>(
      `SELECT * FROM deeds
       WHERE ($1::uuid IS NULL OR account_id = $1) AND ($2::uuid IS NULL OR id < $2) AND ($3::uuid IS NULL OR actor_id = $3)
         AND ($4::text IS NULL OR starts_with(action, $4)) AND ($5::timestamptz IS NULL OR created_at >= $5)
         AND ($6::timestamptz IS NULL OR created_at < $6)
       ORDER BY id DESC LIMIT $7`,
      [
        filter.accountId ?? null,
        cursor ?? null,
        filter.actorId ?? null,
        filter.action ?? null,
        filter.from ?? null,
        filter.to ?? null,
        limit,
      ],
    );
    return rows.map(auditEventOf);
  }
}

function auditEventOf(row: AuditEventRow): AuditEvent {
  return {
    id: row.id,
    accountId: row.account_id,
    actor: {
      kind: row.actor === "person" || row.actor === "key" ? row.actor : "service",
      id: row.actor_id ?? undefined,
      name: row.actor_name,
    },
    action: row.action,
    subjectId: row.subject_id ?? undefined,
    subjectName: row.subject_name ?? undefined,
    details: row.details,
    address: row.address ?? undefined,
    createdAt: row.created_at,
  };
}
