import type { Fields } from "../../requests/fields.ts";

/** The same fields in camel case: Google takes `system_instruction` for `systemInstruction`, and so on. */
export function toCamelCase(fields: Fields): Fields {
  const names = Object.keys(fields);
  if (!names.some((name) => name.includes("_"))) return fields;
  return Object.fromEntries(
    names.map((name) => [name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), fields[name]]),
  );
}

/** The keywords under which a schema in Google's format holds other schemas. */
const SCHEMA_MAP_KEYWORDS = new Set(["properties", "$defs", "defs"]);
const SCHEMA_LIST_KEYWORDS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const SCHEMA_KEYWORDS = new Set(["items", "additionalProperties", "not"]);
/** Numbers that Google's format writes as texts, since they may be large. */
const COUNT_KEYWORDS = new Set(["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]);

/** Turns a schema in Google's format, with types in capitals and a `nullable` keyword, into a JSON schema. */
export function toJsonSchema(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const fields = schema as Readonly<Record<string, unknown>>;
  const converted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === "nullable" || name === "propertyOrdering" || name === "property_ordering") continue;
    converted[name === "any_of" ? "anyOf" : name] = convertKeyword(name === "any_of" ? "anyOf" : name, value);
  }
  if (fields.nullable === true) {
    if (typeof converted.type === "string") converted.type = [converted.type, "null"];
    if (Array.isArray(converted.anyOf)) converted.anyOf = [...converted.anyOf, { type: "null" }];
  }
  return converted;
}

function convertKeyword(name: string, value: unknown): unknown {
  if (name === "type" && typeof value === "string") return value.toLowerCase();
  if (COUNT_KEYWORDS.has(name) && typeof value === "string" && /^\d+$/.test(value)) return Number(value);
  if (SCHEMA_MAP_KEYWORDS.has(name) && typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJsonSchema(inner)]));
  }
  if (SCHEMA_LIST_KEYWORDS.has(name) && Array.isArray(value)) return value.map(toJsonSchema);
  return SCHEMA_KEYWORDS.has(name) ? toJsonSchema(value) : value;
}
