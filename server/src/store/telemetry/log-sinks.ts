import type { Sealer, Secret } from "@trunkline/core/secret.ts";
import type {
  LogSink,
  LogSinkChange,
  LogSinkDraft,
  LogSinkStore,
  OpenLogSink,
} from "../../telemetry/log-sinks/log-sink.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { readPage } from "../database/sql.ts";

type SinkRow = Omit<Row<"log_sinks">, "sealed_secret">;

const COLUMNS = `id, account_id, kind, url, region, access_key_id, may_dial_private, with_content, share, description, enabled,
  last_error, last_error_at, created_at`;

/** Log sinks in PostgreSQL, their credentials sealed. */
export class PostgresLogSinks implements LogSinkStore {
  readonly #database: Database;
  readonly #sealer: Sealer;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  async create(draft: LogSinkDraft, secret: Secret, most: number): Promise<LogSink | undefined> {
    return this.#database.transaction(async (connection) => {
      // Locked: two concurrent requests must not both count the same sinks.
      await connection.query("SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE", [draft.accountId]);
      const rows = await connection.query<SinkRow>(
        `INSERT INTO log_sinks (id, account_id, kind, url, region, access_key_id, may_dial_private, with_content, share, description, sealed_secret)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 WHERE (SELECT count(*) FROM log_sinks WHERE account_id = $2) < $12
         RETURNING ${COLUMNS}`,
        [
          draft.id,
          draft.accountId,
          draft.kind,
          draft.url,
          draft.region ?? null,
          draft.accessKeyId ?? null,
          draft.mayDialPrivate,
          draft.withContent,
          draft.share,
          draft.description,
          this.#sealer.seal(secret, draft.id),
          most,
        ],
      );
      return rows[0] && sinkOf(rows[0]);
    });
  }

  async list(accountId: string, limit: number, cursor: string | undefined): Promise<LogSink[]> {
    const select = `SELECT ${COLUMNS} FROM log_sinks WHERE account_id = $1`;
    const rows = await readPage<SinkRow>(this.#database, select, [accountId], { limit, cursor });
    return rows.map(sinkOf);
  }

  async find(accountId: string, id: string): Promise<LogSink | undefined> {
    const rows = await this.#database.query<SinkRow>(
      `SELECT ${COLUMNS} FROM log_sinks WHERE account_id = $1 AND id = $2`,
      [accountId, id],
    );
    return rows[0] && sinkOf(rows[0]);
  }

  /** Switching it on again forgets its last failure. */
  async change(id: string, change: LogSinkChange): Promise<void> {
    await this.#database.query(
      `UPDATE log_sinks SET url = coalesce($2, url), region = coalesce($3, region),
         access_key_id = coalesce($4, access_key_id), may_dial_private = coalesce($5, may_dial_private),
         with_content = coalesce($6, with_content), share = coalesce($7, share), description = coalesce($8, description),
         enabled = coalesce($9, enabled), sealed_secret = coalesce($10, sealed_secret),
         last_error = CASE WHEN $9 THEN NULL ELSE last_error END,
         last_error_at = CASE WHEN $9 THEN NULL ELSE last_error_at END WHERE id = $1`,
      [
        id,
        change.url ?? null,
        change.region ?? null,
        change.accessKeyId ?? null,
        change.mayDialPrivate ?? null,
        change.withContent ?? null,
        change.share ?? null,
        change.description ?? null,
        change.enabled ?? null,
        change.secret === undefined ? null : this.#sealer.seal(change.secret, id),
      ],
    );
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    const rows = await this.#database.query("DELETE FROM log_sinks WHERE account_id = $1 AND id = $2 RETURNING id", [
      accountId,
      id,
    ]);
    return rows.length > 0;
  }

  async open(accountId: string): Promise<OpenLogSink[]> {
    const rows = await this.#database.query<Row<"log_sinks">>(
      `SELECT ${COLUMNS}, sealed_secret FROM log_sinks WHERE account_id = $1 AND enabled`,
      [accountId],
    );
    return rows.map((row) => this.#openSink(row));
  }

  async openOne(id: string): Promise<OpenLogSink | undefined> {
    const rows = await this.#database.query<Row<"log_sinks">>(
      `SELECT ${COLUMNS}, sealed_secret FROM log_sinks WHERE id = $1`,
      [id],
    );
    return rows[0] && this.#openSink(rows[0]);
  }

  async recordError(id: string, error: string): Promise<void> {
    await this.#database.query("UPDATE log_sinks SET last_error = $2, last_error_at = now() WHERE id = $1", [
      id,
      error.slice(0, 500),
    ]);
  }

  #openSink(row: Row<"log_sinks">): OpenLogSink {
    let secret: Secret | undefined;
    try {
      secret = this.#sealer.open(row.sealed_secret, row.id);
    } catch {
      // It was sealed under another secret of the service.
    }
    return { ...sinkOf(row), secret };
  }
}

function sinkOf(row: SinkRow): LogSink {
  return {
    id: row.id,
    accountId: row.account_id,
    // The column allows no other.
    kind: row.kind === "otlp" || row.kind === "s3" ? row.kind : "http",
    url: row.url,
    region: row.region ?? undefined,
    accessKeyId: row.access_key_id ?? undefined,
    mayDialPrivate: row.may_dial_private,
    withContent: row.with_content,
    share: row.share,
    description: row.description,
    enabled: row.enabled,
    lastError: row.last_error ?? undefined,
    lastErrorAt: row.last_error_at ?? undefined,
    createdAt: row.created_at,
  };
}
