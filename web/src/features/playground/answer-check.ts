import type { BodyOf } from "@trunkline/sdk";
import { texts } from "../../texts/texts.ts";
import { formatNumber } from "../../ui/format.ts";
import { jsonObjectIn } from "./json-text.ts";

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
  const schema = jsonObjectIn(jsonSchema);
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
  if (!isLength) found.minLength = texts.playground.wholeNumberMistake("1", formatNumber(MOST_LENGTH));
  if ((regex ?? "").length > LONGEST_PATTERN) found.regex = texts.playground.patternMistake(LONGEST_PATTERN);
  if (jsonSchema !== undefined && jsonObjectIn(jsonSchema) === undefined)
    found.jsonSchema = texts.playground.schemaMistake;
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
