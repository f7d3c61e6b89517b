import type { z } from "zod";

/** A text that the store can keep: PostgreSQL has no place for a NUL. */
export function storableText(text: z.ZodString): z.ZodString {
  return text.refine((value) => !value.includes("\0"), "must not hold a NUL character");
}
