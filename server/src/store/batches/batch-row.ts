import { BATCH_STATUSES, type BatchStatus } from "@trunkline/core/batch-status.ts";
import type { Batch, BatchError } from "../../batches/batch.ts";

export interface BatchRow {
  id: string;
  account_id: string;
  key_id: string;
  address: string;
  endpoint: string;
  input_file_id: string;
  output_file_id: string;
  error_file_id: string;
  metadata: Record<string, string> | null;
  status: BatchStatus;
  errors: BatchError[] | null;
  total: number;
  done: bigint;
  lost: bigint;
  created_at: Date;
  expires_at: Date;
  in_progress_at: Date | null;
  finalizing_at: Date | null;
  completed_at: Date | null;
  failed_at: Date | null;
  expired_at: Date | null;
  cancelling_at: Date | null;
  cancelled_at: Date | null;
}

/** Batches with what is done of them: as it was kept for those that are over, counted for the others. */
export const BATCHES_WITH_COUNTS = `batches b CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE NOT l.failed) AS done, count(*) FILTER (WHERE l.failed) AS lost
  FROM batch_lines l WHERE b.completed IS NULL AND l.batch_id = b.id AND l.failed IS NOT NULL
) counted`;

export const BATCH_COLUMNS = `b.id, b.account_id, b.key_id, b.address, b.endpoint, b.input_file_id, b.output_file_id, b.error_file_id,
  b.metadata, b.status, b.errors, b.total, coalesce(b.completed, counted.done) AS done, coalesce(b.failed, counted.lost) AS lost,
  b.created_at, b.expires_at, b.in_progress_at, b.finalizing_at, b.completed_at, b.failed_at, b.expired_at, b.cancelling_at,
  b.cancelled_at`;

export function batchOf(row: BatchRow): Batch {
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
