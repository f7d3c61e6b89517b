import { z } from "zod";

/** Whether there is such a day. The parser takes 2026-02-30 for the second of March. */
export function isCalendarDate(date: string): boolean {
  return !Number.isNaN(Date.parse(date)) && new Date(date).toISOString().startsWith(date);
}

/** A day as an ISO date. There is no year 0 in the store. */
export const isoDateSchema = z
  .string()
  .refine(
    (text) => /^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text) && isCalendarDate(text),
    "must be an ISO date such as 2026-01-31",
  );
