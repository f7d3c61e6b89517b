import type { BodyOf } from "@trunkline/sdk";

type Check = NonNullable<BodyOf<"POST /v1/generate">["check"]>;

/** What an answer of a cascade must be like, as it is typed. */
export interface CheckDraft {
  readonly minLength?: number | undefined;
  readonly regex?: string | undefined;
  /** JSON as text. */
  readonly jsonSchema?: string | undefined;
}

export type CheckField = "minLength" | "regex" | "jsonSchema";

const LONGEST_PATTERN = 512;
const MOST_LENGTH = 1_000_000;

/** The check as it is sent; undefined where nothing is asked but that there is an answer. */
export function checkOf({ minLength, regex, jsonSchema }: CheckDraft): Check | undefined {
  const schema = schemaIn(jsonSchema);
  const check = {
    ...(schema === undefined ? {} : { json_schema: schema }),
    ...(regex === undefined ? {} : { regex }),
    ...(minLength === undefined ? {} : { min_length: minLength }),
  };
  return Object.keys(check).length === 0 ? undefined : check;
}

/** What can't be sent as it is, by field. The server knows more of patterns and schemas, and says so. */
export function findCheckMistakes({ minLength, regex, jsonSchema }: CheckDraft) {
  const found: Partial<Record<CheckField, string>> = {};
  const isLength =
    minLength === undefined || (Number.isInteger(minLength) && minLength >= 1 && minLength <= MOST_LENGTH);
  if (!isLength) found.minLength = "Must be a whole number from 1 to 1,000,000.";
  if ((regex ?? "").length > LONGEST_PATTERN) found.regex = `May have ${LONGEST_PATTERN} characters at most.`;
  if (jsonSchema !== undefined && schemaIn(jsonSchema) === undefined)
    found.jsonSchema = 'Must be a JSON object, such as {"type": "object"}.';
  return found;
}

/** A check from storage, which may hold anything. */
export function readCheck(kept: unknown): CheckDraft {
  if (typeof kept !== "object" || kept === null) return {};
  const { minLength, regex, jsonSchema } = kept as Partial<Record<CheckField, unknown>>;
  return {
    ...(typeof minLength === "number" && Number.isFinite(minLength) ? { minLength } : {}),
    ...(typeof regex === "string" && regex !== "" ? { regex } : {}),
    ...(typeof jsonSchema === "string" && jsonSchema !== "" ? { jsonSchema } : {}),
  };
}

function schemaIn(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  try {
    const read: unknown = JSON.parse(text);
    return isRecord(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
