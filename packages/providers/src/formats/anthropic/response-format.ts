import type { AnswerForm } from "@trunkline/core/conversation.ts";
import { isObject, type JsonObject } from "@trunkline/core/json-object.ts";

interface ResponseFormatFields {
  /** The field `format` of `output_config`. */
  readonly format?: JsonObject | undefined;
  /** An instruction for the model, where the format has no field for it. */
  readonly instruction?: string | undefined;
}

/** How the answer's format is requested. */
export function toResponseFormatFields(
  form: AnswerForm | undefined,
  isStructured: boolean,
  reportUnsupported: (field: string) => void,
): ResponseFormatFields {
  if (form === undefined) return {};
  if (form.type === "json")
    return {
      instruction: "Answer with one JSON object, and with nothing else: no fence, no words around it.",
    };
  if (isStructured) return { format: { type: "json_schema", schema: toStrictSchema(form.schema) } };
  // As an instruction it is only a wish that is not enforced.
  reportUnsupported("response_format");
  const about = form.description === undefined ? "" : ` (${form.description})`;
  return {
    instruction: `Answer with JSON${about} that follows this schema, and with nothing else: no fence, no words around it.\n${JSON.stringify(form.schema)}`,
  };
}

/** Keywords that can't be enforced: they are put into the description instead. */
const UNENFORCED_KEYWORDS: ReadonlySet<string> = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "maxItems", "uniqueItems", "minProperties", "maxProperties"],
]);
const MAPS_OF_SCHEMAS: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);
const LISTS_OF_SCHEMAS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);

/**
 * A JSON schema as these providers accept it for enforcement: objects are closed, and unsupported limits go into
 * descriptions.
 */
export function toStrictSchema(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const closed: Record<string, unknown> = {};
  const inWords: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (UNENFORCED_KEYWORDS.has(key) || (key === "minItems" && value !== 0 && value !== 1))
      inWords.push(`${key}: ${JSON.stringify(value)}`);
    else if (MAPS_OF_SCHEMAS.has(key) && isObject(value)) closed[key] = toStrictSchemas(value);
    else if (LISTS_OF_SCHEMAS.has(key) && Array.isArray(value)) closed[key] = value.map(toStrictSchema);
    else if (key === "items") closed[key] = toStrictSchema(value);
    else closed[key] = value;
  }
  if (closed.type === "object" || isObject(closed.properties)) closed.additionalProperties = false;
  if (inWords.length > 0) {
    const said = typeof closed.description === "string" ? `${closed.description} ` : "";
    closed.description = `${said}(${inWords.join(", ")})`;
  }
  return closed;
}

function toStrictSchemas(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toStrictSchema(schema)]));
}
