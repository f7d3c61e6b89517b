import type { AuditEvent, NewAuditEvent } from "@trunkline/core/audit-event.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { readPage } from "../database/sql.ts";

type AuditEventRow = Row<"deeds"> & { readonly details: AuditEvent["details"] };

/** Which events of the audit log to list. */
export interface AuditEventFilter {
  /** undefined: all accounts, for the operator alone. */
  readonly accountId: string | undefined;
  readonly actorId?: string | undefined;
  /** An action, or a prefix such as `key.`. */
  readonly action?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** The audit log in PostgreSQL, in the append-only table `deeds`. */
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
    const { accountId, actorId, action, from, to } = filter;
    const rows = await readPage<AuditEventRow>(
      this.#database,
      `SELECT * FROM deeds
       WHERE ($1::uuid IS NULL OR account_id = $1) AND ($2::uuid IS NULL OR actor_id = $2)
         AND ($3::text IS NULL OR starts_with(action, $3)) AND ($4::timestamptz IS NULL OR created_at >= $4)
         AND ($5::timestamptz IS NULL OR created_at < $5)`,
      [accountId ?? null, actorId ?? null, action ?? null, from ?? null, to ?? null],
      { limit, cursor },
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
