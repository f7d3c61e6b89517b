/** A JSON object with nothing about its fields checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a field has a value. Many providers write null for a field that they leave out. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

const NO_ITEMS: readonly JsonObject[] = Object.freeze([]);
const NO_FIELDS: JsonObject = Object.freeze({});

/** The objects in a list; none where the value is no list. A list of nothing else is returned itself, as nearly all are. */
export function objectItems(value: unknown): readonly JsonObject[] {
  if (!Array.isArray(value)) return NO_ITEMS;
  for (let at = 0; at < value.length; at++) if (!isObject(value[at])) return value.filter(isObject);
  return value;
}

/** A field that is an object; an empty object where it is missing or something else. */
export function objectField(parent: JsonObject, field: string): JsonObject {
  const value = parent[field];
  return isObject(value) ? value : NO_FIELDS;
}

/** A string that is not empty; undefined for everything else. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
