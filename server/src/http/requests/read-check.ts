import type { AnswerCheck } from "@trunkline/core/inference.ts";
import {
  compilePattern,
  InvalidPattern,
  PATTERN_LENGTH_MAX,
} from "@trunkline/core/json-schema/linear-pattern.ts";
import { InvalidSchema, parseSchema } from "@trunkline/core/json-schema/read-schema.ts";
import {
  type Fields,
  invalidField,
  readBoolean,
  readInteger,
  readObject,
  readOptional,
  readString,
} from "./fields.ts";

const MIN_LENGTH_MAX = 1_000_000;
const CHECK_FIELDS = ["json_schema", "regex", "min_length", "non_empty"];

/** What an answer of a cascade must be like, or the first field of it that is wrong. */
export function readAnswerCheck(value: unknown): AnswerCheck {
  const fields = readObject(value, "check");
  // A rule that is misspelt would be a rule that nobody checks.
  const unknown = Object.keys(fields).find((name) => !CHECK_FIELDS.includes(name));
  if (unknown !== undefined)
    throw invalidField(`check.${unknown}`, `\`check\` may hold these alone: ${CHECK_FIELDS.join(", ")}.`);
  readOptional(fields.non_empty, (given) => readBoolean(given, "check.non_empty"));
  return {
    ...optionalField("schema", readOptional(fields.json_schema, readJsonSchema)),
    ...optionalField("pattern", readOptional(fields.regex, readRegex)),
    ...optionalField(
      "minLength",
      readOptional(fields.min_length, (given) => readInteger(given, "check.min_length", 1, MIN_LENGTH_MAX)),
    ),
  };
}

function optionalField<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: Value };
}

function readJsonSchema(value: unknown): Fields {
  const param = "check.json_schema";
  const schema = readObject(value, param);
  try {
    parseSchema(schema);
  } catch (error) {
    if (error instanceof InvalidSchema) throw invalidField(param, `\`${param}\` ${error.message}.`);
    throw error;
  }
  return schema;
}

function readRegex(value: unknown): string {
  const param = "check.regex";
  const pattern = readString(value, param, 1, PATTERN_LENGTH_MAX);
  try {
    compilePattern(pattern);
  } catch (error) {
    if (error instanceof InvalidPattern) throw invalidField(param, `\`${param}\` ${error.message}.`);
    throw error;
  }
  return pattern;
}
