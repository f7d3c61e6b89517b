import type { AnswerCheck } from "@trunkline/core/inference.ts";
import { BadPattern, PATTERN_MAX, readPattern } from "@trunkline/core/json-schema/linear-pattern.ts";
import { BadSchema, readSchema } from "@trunkline/core/json-schema/read-schema.ts";
import {
  type Fields,
  invalid,
  readBoolean,
  readInteger,
  readObject,
  readOptional,
  readString,
} from "./fields.ts";

const MIN_LENGTH_MAX = 1_000_000;
const KNOWN = ["json_schema", "regex", "min_length", "non_empty"];

/** What an answer of a cascade must be like, or the first field of it that is wrong. */
export function readCheck(value: unknown): AnswerCheck {
  const fields = readObject(value, "check");
  // A rule that is misspelt would be a rule that nobody checks.
  const unknown = Object.keys(fields).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined)
    throw invalid(`check.${unknown}`, `\`check\` may hold these alone: ${KNOWN.join(", ")}.`);
  readOptional(fields.non_empty, (given) => readBoolean(given, "check.non_empty"));
  return {
    ...some("schema", readOptional(fields.json_schema, readJsonSchema)),
    ...some("pattern", readOptional(fields.regex, readRegex)),
    ...some(
      "minLength",
      readOptional(fields.min_length, (given) => readInteger(given, "check.min_length", 1, MIN_LENGTH_MAX)),
    ),
  };
}

function some<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: Value };
}

function readJsonSchema(value: unknown): Fields {
  const param = "check.json_schema";
  const schema = readObject(value, param);
  try {
    readSchema(schema);
  } catch (error) {
    if (error instanceof BadSchema) throw invalid(param, `\`${param}\` ${error.message}.`);
    throw error;
  }
  return schema;
}

function readRegex(value: unknown): string {
  const param = "check.regex";
  const pattern = readString(value, param, 1, PATTERN_MAX);
  try {
    readPattern(pattern);
  } catch (error) {
    if (error instanceof BadPattern) throw invalid(param, `\`${param}\` ${error.message}.`);
    throw error;
  }
  return pattern;
}
