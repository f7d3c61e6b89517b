import { join, resolve } from "node:path";
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
