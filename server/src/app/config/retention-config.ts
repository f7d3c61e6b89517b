import { join, resolve } from "node:path";
import {
  RETENTION_DAYS_LIMIT,
  RETENTION_KINDS,
  type RetentionBounds,
  type ServiceRetention,
} from "@trunkline/core/retention.ts";
import { z } from "zod";

/** The variables of what leaves the database. */
export const retentionVariables = {
  TRUNKLINE_REQUEST_DAYS: z
    .string()
    .regex(/^\d{1,4}$/, "must be a whole number of days, 7 to 9999")
    .transform(Number)
    .refine((days) => days >= 7, "must be a whole number of days, 7 to 9999")
    .optional(),
  TRUNKLINE_ARCHIVE_DIR: z.string().min(1).optional(),
};

type RetentionVariables = z.output<z.ZodObject<typeof retentionVariables>> & {
  readonly DATABASE_URL?: string | undefined;
  readonly TRUNKLINE_DATA_DIR: string;
};

/** For how long records of requests stay in the database, and the folder they go to. */
interface RetentionConfig {
  readonly days: number;
  /** undefined: they are deleted. */
  readonly folder: string | undefined;
}

/** undefined: records of requests stay in the database for good. A text says why the variables don't fit. */
export function readRetention(variables: RetentionVariables): RetentionConfig | undefined | string {
  const { TRUNKLINE_REQUEST_DAYS: days, TRUNKLINE_ARCHIVE_DIR: folder, DATABASE_URL: url } = variables;
  if (days === undefined) return undefined;
  if (folder === "off") return { days, folder: undefined };
  if (folder === undefined && url !== undefined) {
    return "TRUNKLINE_REQUEST_DAYS needs TRUNKLINE_ARCHIVE_DIR with DATABASE_URL: a folder that all instances share, or `off` to delete the records.";
  }
  return { days, folder: resolve(folder ?? join(variables.TRUNKLINE_DATA_DIR, "archive")) };
}

const days = z.int().min(1).max(RETENTION_DAYS_LIMIT);
const boundsSchema = (leastDays: number) =>
  z
    .strictObject({ days: days.optional(), min_days: days.default(leastDays), max_days: days.optional() })
    .refine(
      ({ min_days: min, max_days: max }) => max === undefined || min <= max,
      "must not have min_days above max_days",
    )
    .refine(
      ({ days: usual, min_days: min, max_days: max }) =>
        usual === undefined || (usual >= min && (max === undefined || usual <= max)),
      "must have days between min_days and max_days",
    )
    .prefault({});

/** Members could hide what they did if the log of it were gone the next day. */
const AUDIT_LOG_MIN_DAYS = 90;

/** The field `retention` of the file: what accounts may choose. */
export const retentionFileSchema = z
  .strictObject({
    contents: boundsSchema(1),
    details: boundsSchema(1),
    responses: boundsSchema(1),
    audit_log: boundsSchema(AUDIT_LOG_MIN_DAYS),
  })
  .prefault({});

/** Records and responses have bounds of their own in the variables: nothing of them can be kept for longer. */
export function readServiceRetention(
  file: z.output<typeof retentionFileSchema>,
  requestDays: number | undefined,
  responseDays: number,
): ServiceRetention {
  const ends = { contents: requestDays, details: requestDays, responses: responseDays, audit_log: undefined };
  const entries = RETENTION_KINDS.map((kind): [string, RetentionBounds] => {
    const { days: usual, min_days: minDays, max_days: most } = file[kind];
    const end = ends[kind];
    return [kind, { days: usual, minDays, maxDays: end === undefined ? most : Math.min(end, most ?? end) }];
  });
  return Object.fromEntries(entries) as Record<(typeof RETENTION_KINDS)[number], RetentionBounds>;
}
