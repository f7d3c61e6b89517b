import type { AnswerForm } from "@trunkline/core/conversation.ts";
import { invalidField, readBoolean, readObject, readOptional, readString } from "../../../requests/fields.ts";

/** As JSON. */
const SCHEMA_LENGTH_MAX = 400_000;

/** The form that the answer must have; undefined: any text. */
export function readResponseFormat(value: unknown): AnswerForm | undefined {
  const { type, json_schema: schema } = readObject(value, "response_format");
  switch (type) {
    case "text":
      return undefined;
    case "json_object":
      return { type: "json" };
    case "json_schema":
      return readSchemaFormat(schema, "response_format.json_schema");
    default:
      throw invalidField(
        "response_format.type",
        "`response_format.type` must be one of: text, json_object, json_schema.",
      );
  }
}

/** A schema with its name. */
export function readSchemaFormat(value: unknown, param: string): AnswerForm {
  const fields = readObject(value, param);
  const name = readString(fields.name, `${param}.name`, 1, 64);
  if (!/^[A-Za-z0-9_-]+$/.test(name))
    throw invalidField(`${param}.name`, `\`${param}.name\` may hold letters, digits, _ and - only.`);
  const schema = readOptional(fields.schema, (given) => readObject(given, `${param}.schema`)) ?? {};
  if (JSON.stringify(schema).length > SCHEMA_LENGTH_MAX) {
    throw invalidField(
      `${param}.schema`,
      `\`${param}.schema\` may have at most ${SCHEMA_LENGTH_MAX.toLocaleString("en")} characters as JSON.`,
    );
  }
  const description = readOptional(fields.description, (given) =>
    readString(given, `${param}.description`, 0, 16_384),
  );
  const strict = readOptional(fields.strict, (given) => readBoolean(given, `${param}.strict`));
  return {
    type: "schema",
    name,
    schema,
    ...(description === undefined ? {} : { description }),
    ...(strict === undefined ? {} : { strict }),
  };
}
