import { z } from "zod";
import { Fault } from "./fault.ts";
import { fromCredits, type NanoCredits } from "./money.ts";

/** A text that PostgreSQL can store: it does not allow NUL, and in JSON no half of a surrogate pair. */
export function storableText(text: z.ZodString): z.ZodString {
  return text
    .refine((value) => !value.includes("\0"), "must not hold a NUL character")
    .refine((value) => !/\p{Cs}/u.test(value), "must not hold half of a surrogate pair");
}

/** A name, or another text on one line. Mails, logs, receipts and terminals show it: a line break would begin a line of its own there. */
export function lineSchema(lengthMax = 128): z.ZodString {
  return storableText(z.string().trim().min(1).max(lengthMax)).regex(
    /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u,
    "must not hold line breaks or control characters",
  );
}

/** An amount in credits as a JSON number, exact to the nano-credit. */
export function creditsSchema(min: number, max: number) {
  return z
    .number()
    .min(min)
    .max(max)
    .refine((value) => fromCredits(value) !== undefined, "may have at most 9 decimals")
    .describe("Credits; at most 9 decimals.");
}

/** For a number that `creditsSchema` accepted. */
export function toNanoCredits(value: number): NanoCredits {
  const amount = fromCredits(value);
  if (amount === undefined) throw new Error(`${value} has more than 9 decimals.`);
  return amount;
}

/** Whether a date exists. The parser reads 2026-02-30 as the second of March. */
export function isCalendarDate(date: string): boolean {
  return !Number.isNaN(Date.parse(date)) && new Date(date).toISOString().startsWith(date);
}

/** A day as an ISO date. PostgreSQL has no year 0. */
export const isoDateSchema = z
  .string()
  .refine(
    (text) => /^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text) && isCalendarDate(text),
    "must be an ISO date such as 2026-01-31",
  );

/** The first issue of a body, as the error that the client gets. */
export function faultFromSchemaError(error: z.ZodError): Fault {
  const issue = error.issues[0];
  const param = issue === undefined ? "" : formatIssuePath(issue.path);
  if (issue?.code === "unrecognized_keys" && param === "") {
    const [field = ""] = issue.keys;
    return new Fault("invalid_request", `\`${field}\` is not a known field.`, { param: field });
  }
  if (issue === undefined || param === "") return new Fault("invalid_request", "The body must be a JSON object.");
  return new Fault("invalid_request", `\`${param}\`: ${describeIssue(issue)}`, { param });
}

/** All issues of a body, field by field. */
export function listSchemaIssues(error: z.ZodError): { readonly param: string; readonly message: string }[] {
  return error.issues.map((issue) => ({ param: formatIssuePath(issue.path), message: describeIssue(issue) }));
}

/** `budget.limit`, `models[2]`. */
export function formatIssuePath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${String(step)}`))
    .join("");
}

/** What a value must be, by the type that the schema names. */
const TYPES_IN_WORDS: Readonly<Record<string, string>> = {
  number: "a number",
  int: "a whole number",
  string: "a string",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
};

export function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_value") return `must be one of: ${issue.values.map(String).join(", ")}.`;
  if (issue.code === "invalid_type" && issue.input === undefined) return "is required.";
  if (issue.code === "invalid_type" && TYPES_IN_WORDS[issue.expected] !== undefined)
    return `must be ${TYPES_IN_WORDS[issue.expected]}.`;
  if (issue.code === "too_big" && issue.origin !== "date")
    return `must be at most ${describeSize(issue.origin, issue.maximum)}.`;
  if (issue.code === "too_small" && issue.origin !== "date")
    return `must be at least ${describeSize(issue.origin, issue.minimum)}.`;
  if (issue.code === "unrecognized_keys") return `is not known: ${issue.keys.join(", ")}.`;
  if (issue.code === "invalid_union" && issue.errors.length > 0)
    return `${issue.errors.flatMap((form) => form.slice(0, 1).map(describeForm)).join(", or ")}.`;
  return `${issue.message.replace(/^Invalid input: /, "").replace(/\.$/, "")}.`;
}

/** Why a value does not have one of the forms that it may have. */
function describeForm(issue: z.core.$ZodIssue): string {
  const path = formatIssuePath(issue.path);
  const why = issue.code === "invalid_type" ? `must be of type ${issue.expected}` : describeIssue(issue);
  return `${path === "" ? "" : `${path} `}${why.replace(/\.$/, "")}`;
}

function describeSize(origin: string, size: number | bigint): string {
  if (origin === "string") return `${size} ${size === 1 ? "character" : "characters"} long`;
  return origin === "array" ? `${size} ${size === 1 ? "entry" : "entries"} long` : String(size);
}
