import type { AnswerForm } from "@trunkline/core/conversation.ts";
import { isObject } from "../../http/json-object.ts";
import type { JsonObject } from "../../http/json-stream.ts";

interface ResponseFormatFields {
  /** The field `format` of `output_config`. */
  readonly format?: JsonObject | undefined;
  /** Said to the model in words, where the format has no field for it. */
  readonly instruction?: string | undefined;
}

/** How a model is told which form its answer must have. */
export function toResponseFormatFields(
  form: AnswerForm | undefined,
  isStructured: boolean,
  drop: (field: string) => void,
): ResponseFormatFields {
  if (form === undefined) return {};
  if (form.type === "json")
    return {
      instruction: "Answer with one JSON object, and with nothing else: no fence, no words around it.",
    };
  if (isStructured) return { format: { type: "json_schema", schema: toStrictSchema(form.schema) } };
  // Asked for in words it is a wish: nobody holds the model to it.
  drop("response_format");
  const about = form.description === undefined ? "" : ` (${form.description})`;
  return {
    instruction: `Answer with JSON${about} that follows this schema, and with nothing else: no fence, no words around it.\n${JSON.stringify(form.schema)}`,
  };
}

/** What a model can't be held to: said to it in words instead. */
const UNENFORCED_KEYWORDS: ReadonlySet<string> = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "maxItems", "uniqueItems", "minProperties", "maxProperties"],
]);
const MAPS_OF_SCHEMAS: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);
const LISTS_OF_SCHEMAS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);

/**
 * A JSON schema as these providers take it to hold a model to: objects are closed, and limits that they don't know
 * stand in the description.
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
