/** What stands behind a keyword of JSON Schema: by it, a schema is read and its parts are found. */
export type KeywordKind =
  | "schema"
  | "schemas"
  | "schemas-by-name"
  | "schemas-by-pattern"
  | "count"
  | "number"
  | "above-zero"
  | "flag"
  | "names"
  | "names-by-name"
  | "types"
  | "values"
  | "pattern"
  | "reference"
  | "refused";

/** The keywords that are heeded, of the drafts from 6 on. Others say nothing of what is valid, or are refused. */
export const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map<string, KeywordKind>([
  ["$ref", "reference"],
  ["$defs", "schemas-by-name"],
  ["definitions", "schemas-by-name"],
  ["type", "types"],
  ["enum", "values"],
  ["allOf", "schemas"],
  ["anyOf", "schemas"],
  ["oneOf", "schemas"],
  ["not", "schema"],
  ["if", "schema"],
  ["then", "schema"],
  ["else", "schema"],
  ["properties", "schemas-by-name"],
  ["patternProperties", "schemas-by-pattern"],
  ["additionalProperties", "schema"],
  ["propertyNames", "schema"],
  ["required", "names"],
  ["dependentRequired", "names-by-name"],
  ["dependentSchemas", "schemas-by-name"],
  ["minProperties", "count"],
  ["maxProperties", "count"],
  ["prefixItems", "schemas"],
  ["items", "schema"],
  ["contains", "schema"],
  ["minContains", "count"],
  ["maxContains", "count"],
  ["minItems", "count"],
  ["maxItems", "count"],
  ["uniqueItems", "flag"],
  ["minLength", "count"],
  ["maxLength", "count"],
  ["pattern", "pattern"],
  ["minimum", "number"],
  ["maximum", "number"],
  ["exclusiveMinimum", "number"],
  ["exclusiveMaximum", "number"],
  ["multipleOf", "above-zero"],
  // These change what is valid in ways that nothing here makes out: better no than a check that is none.
  ["unevaluatedProperties", "refused"],
  ["unevaluatedItems", "refused"],
  ["additionalItems", "refused"],
  ["dependencies", "refused"],
  ["$dynamicRef", "refused"],
  ["$recursiveRef", "refused"],
]);

export const JSON_TYPES = ["null", "boolean", "object", "array", "number", "integer", "string"] as const;
export type JsonType = (typeof JSON_TYPES)[number];
