import { BATCH_STATUSES, type BatchStatus } from "@trunkline/core/batch-status.ts";
import type {
  Batch,
  BatchError,
  BatchEvent,
  BatchFilter,
  BatchLine,
  BatchStore,
  FinalBatchStatus,
  NewBatch,
  NotRunReason,
} from "../../batches/batches.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { readPage } from "../database/sql.ts";
import { enqueueEvent } from "../notify/outbox.ts";

type BatchRow = Omit<Row<"batches">, "completed" | "failed" | "lease_by" | "lease_until" | "not_before" | "pauses"> & {
  readonly metadata: Record<string, string> | null;
  readonly status: BatchStatus;
  readonly errors: BatchError[] | null;
  readonly done: bigint;
  readonly lost: bigint;
};

/** Batches with what is done of them: as it was kept for those that are over, counted for the others. */
const BATCHES_WITH_COUNTS = `batches b CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE NOT l.failed) AS done, count(*) FILTER (WHERE l.failed) AS lost
  FROM batch_lines l WHERE b.completed IS NULL AND l.batch_id = b.id AND l.failed IS NOT NULL
) counted`;

const SELECT_BATCH = `SELECT b.id, b.account_id, b.key_id, b.address, b.endpoint, b.input_file_id, b.output_file_id, b.error_file_id,
  b.metadata, b.status, b.errors, b.total, coalesce(b.completed, counted.done) AS done, coalesce(b.failed, counted.lost) AS lost,
  b.created_at, b.expires_at, b.in_progress_at, b.finalizing_at, b.completed_at, b.failed_at, b.expired_at, b.cancelling_at,
  b.cancelled_at
  FROM ${BATCHES_WITH_COUNTS}`;

function batchOf(row: BatchRow): Batch {
  const times: Partial<Record<BatchStatus, Date>> = {};
  for (const status of BATCH_STATUSES) {
    const at = status === "validating" ? row.created_at : row[`${status}_at`];
    if (at !== null) times[status] = at;
  }
  return {
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id,
    address: row.address,
    endpoint: row.endpoint,
    inputFileId: row.input_file_id,
    outputFileId: row.output_file_id,
    errorFileId: row.error_file_id,
    metadata: row.metadata ?? undefined,
    status: row.status,
    errors: row.errors ?? [],
    total: row.total,
    completed: Number(row.done),
    failed: Number(row.lost),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    times,
  };
}

const IS_UNFINISHED = "status IN ('validating', 'in_progress', 'finalizing', 'cancelling')";
const PAUSE_MS_MAX = 300_000;
const BATCH_RETENTION = "30 days";

/** Batches in PostgreSQL. One instance at a time works on each: `lease_by` names it, until its lease runs out. */
export class PostgresBatches implements BatchStore {
  readonly #database: Database;
  readonly #instanceId: string;

  constructor(database: Database, instanceId: string) {
    this.#database = database;
    this.#instanceId = instanceId;
  }

  async create(draft: NewBatch, mostOpen: number): Promise<boolean> {
    const { id, accountId, createdAt, expiresAt } = draft;
    const rows = await this.#database.query(
      `INSERT INTO batches (id, account_id, key_id, address, endpoint, input_file_id, output_file_id, error_file_id, metadata,
         status, created_at, expires_at)
       SELECT $1::uuid, $2::uuid, $3::uuid, $4::text, $5::text, $6::uuid, $7::uuid, $8::uuid, $9::json, 'validating',
         $10::timestamptz, $11::timestamptz
       WHERE (SELECT count(*) FROM batches WHERE account_id = $2 AND completed IS NULL) < $12
       RETURNING id`,
      [
        id,
        accountId,
        draft.keyId,
        draft.address,
        draft.endpoint,
        draft.inputFileId,
        draft.outputFileId,
        draft.errorFileId,
        draft.metadata === undefined ? null : JSON.stringify(draft.metadata),
        createdAt,
        expiresAt,
        mostOpen,
      ],
    );
    return rows.length > 0;
  }

  async find(accountId: string, id: string): Promise<Batch | undefined> {
    const rows = await this.#database.query<BatchRow>(`${SELECT_BATCH} WHERE b.account_id = $1 AND b.id = $2`, [
      accountId,
      id,
    ]);
    return rows[0] && batchOf(rows[0]);
  }

  async list(accountId: string, { endpoint, after, before }: BatchFilter, limit: number): Promise<Batch[]> {
    const rows = await readPage<BatchRow>(
      this.#database,
      `${SELECT_BATCH} WHERE b.account_id = $1 AND ($2::text IS NULL OR b.endpoint = $2)`,
      [accountId, endpoint ?? null],
      { limit, cursor: after, before },
      "b.id",
    );
    return rows.map(batchOf);
  }

  async cancel(accountId: string, id: string, now: Date): Promise<boolean> {
    const rows = await this.#database.query(
      `UPDATE batches SET status = 'cancelling', cancelling_at = $3, not_before = '-infinity'
       WHERE account_id = $1 AND id = $2 AND status IN ('validating', 'in_progress') RETURNING 1`,
      [accountId, id, now],
    );
    return rows.length > 0;
  }

  async claim(leaseMs: number): Promise<Batch | undefined> {
    const claimed = await this.#database.query<Row<"batches", "id">>(
      `UPDATE batches SET lease_by = $1, lease_until = now() + $2 * interval '1 millisecond' WHERE id = (
         SELECT id FROM batches WHERE ${IS_UNFINISHED} AND not_before <= now() AND (lease_by IS NULL OR lease_until < now())
         ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
       ) RETURNING id`,
      [this.#instanceId, leaseMs],
    );
    const id = claimed[0]?.id;
    if (id === undefined) return undefined;
    const rows = await this.#database.query<BatchRow>(`${SELECT_BATCH} WHERE b.id = $1`, [id]);
    return rows[0] && batchOf(rows[0]);
  }

  async renew(id: string, leaseMs: number): Promise<BatchStatus | undefined> {
    const rows = await this.#database.query<Pick<BatchRow, "status">>(
      `UPDATE batches SET lease_until = now() + $3 * interval '1 millisecond' WHERE id = $1 AND lease_by = $2 RETURNING status`,
      [id, this.#instanceId, leaseMs],
    );
    return rows[0]?.status;
  }

  async release(id: string, pauseMs: number, didSomething: boolean): Promise<void> {
    // A batch that was cancelled meanwhile ends at once.
    await this.#database.query(
      `UPDATE batches SET lease_by = NULL, pauses = CASE WHEN $4 THEN 0 ELSE least(pauses + 1, 16) END,
         not_before = CASE status WHEN 'cancelling' THEN '-infinity' ELSE now() + least($3 * 2 ^ CASE WHEN $4 THEN 0 ELSE pauses END,
           greatest($3, ${PAUSE_MS_MAX})) * interval '1 millisecond' END
       WHERE id = $1 AND lease_by = $2`,
      [id, this.#instanceId, pauseMs, didSomething],
    );
  }

  async start(id: string, lines: readonly BatchLine[], now: Date): Promise<void> {
    await this.#database.transaction(async (connection) => {
      await connection.query(
        `INSERT INTO batch_lines (batch_id, line, custom_id, body)
         SELECT $1, * FROM unnest($2::int[], $3::text[], $4::text[]) ON CONFLICT DO NOTHING`,
        [id, lines.map(({ line }) => line), lines.map(({ customId }) => customId), lines.map(({ body }) => body)],
      );
      const admitted = await connection.query<Row<"batches", "account_id" | "output_file_id" | "error_file_id">>(
        `UPDATE batches SET status = CASE status WHEN 'validating' THEN 'in_progress' ELSE status END, in_progress_at = $2,
           total = $3 WHERE id = $1 RETURNING account_id, output_file_id, error_file_id`,
        [id, now, lines.length],
      );
      for (const { account_id, output_file_id, error_file_id } of admitted) {
        await connection.query(
          `INSERT INTO files (id, account_id, name, purpose, created_at, expires_at)
           SELECT file, $3, name, 'batch_output', $4, $4::timestamptz + interval '${BATCH_RETENTION}'
           FROM (VALUES ($1::uuid, 'batch_' || $5 || '_output.jsonl'), ($2::uuid, 'batch_' || $5 || '_error.jsonl')) AS t(file, name)
           ON CONFLICT DO NOTHING`,
          [output_file_id, error_file_id, account_id, now, id],
        );
      }
    });
  }

  async pending(id: string): Promise<number[]> {
    const rows = await this.#database.query<Row<"batch_lines", "line">>(
      "SELECT line FROM batch_lines WHERE batch_id = $1 AND failed IS NULL ORDER BY line",
      [id],
    );
    return rows.map(({ line }) => line);
  }

  async line(id: string, line: number): Promise<BatchLine | undefined> {
    const rows = await this.#database.query<{ custom_id: string; body: string }>(
      "SELECT custom_id, body FROM batch_lines WHERE batch_id = $1 AND line = $2 AND failed IS NULL",
      [id, line],
    );
    return rows[0] && { line, customId: rows[0].custom_id, body: rows[0].body };
  }

  async recordResult(id: string, line: number, failed: boolean, result: string): Promise<void> {
    await this.#database.query(
      "UPDATE batch_lines SET failed = $3, result = $4, body = NULL WHERE batch_id = $1 AND line = $2 AND failed IS NULL",
      [id, line, failed, result],
    );
  }

  async markFinalizing(id: string, now: Date): Promise<void> {
    await this.#database.query(
      "UPDATE batches SET status = 'finalizing', finalizing_at = $3 WHERE id = $1 AND lease_by = $2",
      [id, this.#instanceId, now],
    );
  }

  async finish(
    id: string,
    end: FinalBatchStatus,
    {
      now,
      reason: notRunReason,
      errors,
    }: { now: Date; reason: NotRunReason | undefined; errors: readonly BatchError[] },
    eventOf: (batch: Batch) => BatchEvent,
  ): Promise<void> {
    await this.#database.transaction(async (connection) => {
      const mine = await connection.query(
        `SELECT 1 FROM batches WHERE id = $1 AND lease_by = $2 AND ${IS_UNFINISHED} FOR UPDATE`,
        [id, this.#instanceId],
      );
      if (mine.length === 0) return;
      if (notRunReason !== undefined) await failUnfinishedLines(connection, id, notRunReason);
      await connection.query(
        `UPDATE batches b SET status = $2, ${end}_at = $3, errors = $4, lease_by = NULL, completed = done.completed, failed = done.failed
         FROM (SELECT count(*) FILTER (WHERE NOT failed) AS completed, count(*) FILTER (WHERE failed) AS failed
               FROM batch_lines WHERE batch_id = $1) done WHERE b.id = $1`,
        [id, end, now, errors.length === 0 ? null : JSON.stringify(errors)],
      );
      const rows = await connection.query<BatchRow>(`${SELECT_BATCH} WHERE b.id = $1`, [id]);
      for (const batch of rows.map(batchOf)) await enqueueEvent(connection, batch.accountId, eventOf(batch), undefined);
    });
  }

  /** Deletes expired files, and finished batches with their results once their files have expired. */
  async sweep(now: Date): Promise<void> {
    await this.#database.query("DELETE FROM files WHERE expires_at <= $1", [now]);
    await this.#database.query(
      `DELETE FROM batches WHERE NOT (${IS_UNFINISHED}) AND created_at < $1::timestamptz - interval '${BATCH_RETENTION}' - interval '1 day'`,
      [now],
    );
  }
}

/** Writes the reason as the result of every line that was not run. */
async function failUnfinishedLines(connection: Queryable, id: string, { code, message }: NotRunReason): Promise<void> {
  await connection.query(
    `UPDATE batch_lines SET failed = true, body = NULL, result = json_build_object('id', 'batch_req_' || batch_id || '_' || line,
       'custom_id', custom_id, 'response', NULL, 'error', json_build_object('code', $2::text, 'message', $3::text))::text
     WHERE batch_id = $1 AND failed IS NULL`,
    [id, code, message],
  );
}
