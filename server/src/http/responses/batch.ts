import { BATCH_STATUSES } from "@trunkline/core/batch-status.ts";
import { storableText } from "@trunkline/core/field-schemas.ts";
import { z } from "zod";
import { type Batch, FILE_PURPOSES, type StoredFile } from "../../batches/batches.ts";

const FILE_PREFIX = "file-";
/** The same file as Anthropic's clients know it. */
export const ANTHROPIC_FILE_PREFIX = "file_";
const BATCH_PREFIX = "batch_";
const secondsSchema = z.number().describe("Seconds since 1970.");

export const fileResponseSchema = z.object({
  id: z.string(),
  object: z.literal("file"),
  bytes: z.number().describe("Of a file of results: so far."),
  created_at: secondsSchema,
  expires_at: secondsSchema,
  filename: z.string(),
  purpose: z.enum(FILE_PURPOSES),
  status: z.literal("processed"),
});

export const createBatchSchema = z.object({
  input_file_id: storableText(z.string().min(1).max(64)),
  endpoint: storableText(z.string().min(1).max(128)).describe(
    "The operation that every line names as its `url`, for example /v1/chat/completions.",
  ),
  completion_window: z.literal("24h"),
  metadata: z
    .record(storableText(z.string().min(1).max(64)), storableText(z.string().max(512)))
    .refine((metadata) => Object.keys(metadata).length <= 16, "may hold at most 16 entries")
    .nullable()
    .optional(),
});

const nullableSecondsSchema = secondsSchema.nullable();

export const batchResponseSchema = z.object({
  id: z.string(),
  object: z.literal("batch"),
  endpoint: z.string(),
  errors: z
    .object({
      object: z.literal("list"),
      data: z.array(
        z.object({
          code: z.string(),
          message: z.string(),
          line: z.number().nullable(),
          param: z.string().nullable(),
        }),
      ),
    })
    .nullable()
    .describe("What is wrong with its file, line by line."),
  input_file_id: z.string(),
  completion_window: z.literal("24h"),
  status: z.enum(BATCH_STATUSES),
  output_file_id: z
    .string()
    .nullable()
    .describe("Its content is what is done so far; null while the batch is validated."),
  error_file_id: z.string().nullable().describe("null while nothing failed."),
  created_at: secondsSchema,
  expires_at: secondsSchema,
  in_progress_at: nullableSecondsSchema,
  finalizing_at: nullableSecondsSchema,
  completed_at: nullableSecondsSchema,
  failed_at: nullableSecondsSchema,
  expired_at: nullableSecondsSchema,
  cancelling_at: nullableSecondsSchema,
  cancelled_at: nullableSecondsSchema,
  request_counts: z.object({ total: z.number(), completed: z.number(), failed: z.number() }),
  metadata: z.record(z.string(), z.string()).nullable(),
});

/** The store's id of a file or batch, without the public id's prefix; "" where the prefix is missing. */
export const parseFileId = (publicId: string): string =>
  stripPrefix(FILE_PREFIX, publicId) || stripPrefix(ANTHROPIC_FILE_PREFIX, publicId);
export const parseBatchId = (publicId: string): string => stripPrefix(BATCH_PREFIX, publicId);

function stripPrefix(prefix: string, publicId: string): string {
  return publicId.startsWith(prefix) ? publicId.slice(prefix.length) : "";
}

export function toFileResponse(file: StoredFile): z.infer<typeof fileResponseSchema> {
  return {
    id: FILE_PREFIX + file.id,
    object: "file",
    bytes: file.bytes,
    created_at: toSeconds(file.createdAt),
    expires_at: toSeconds(file.expiresAt),
    filename: file.name,
    purpose: file.purpose,
    status: "processed",
  };
}

export function toBatchResponse(batch: Batch): z.infer<typeof batchResponseSchema> {
  const { times, errors, total, completed, failed } = batch;
  const at = (time: Date | undefined) => (time === undefined ? null : toSeconds(time));
  return {
    id: BATCH_PREFIX + batch.id,
    object: "batch",
    endpoint: batch.endpoint,
    errors: errors.length === 0 ? null : { object: "list", data: [...errors] },
    input_file_id: FILE_PREFIX + batch.inputFileId,
    completion_window: "24h",
    status: batch.status,
    output_file_id: total === 0 ? null : FILE_PREFIX + batch.outputFileId,
    error_file_id: failed === 0 ? null : FILE_PREFIX + batch.errorFileId,
    created_at: toSeconds(batch.createdAt),
    expires_at: toSeconds(batch.expiresAt),
    in_progress_at: at(times.in_progress),
    finalizing_at: at(times.finalizing),
    completed_at: at(times.completed),
    failed_at: at(times.failed),
    expired_at: at(times.expired),
    cancelling_at: at(times.cancelling),
    cancelled_at: at(times.cancelled),
    request_counts: { total, completed, failed },
    metadata: batch.metadata === undefined ? null : { ...batch.metadata },
  };
}

function toSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
