/** A JSON object with nothing about its fields checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a field has a value. Many providers write null for a field that they leave out. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The objects in a list; none where the value is no list. */
export function objectItems(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A field that is an object; an empty object where it is missing or something else. */
export function objectField(parent: JsonObject, field: string): JsonObject {
  const value = parent[field];
  return isObject(value) ? value : {};
}

/** A string that is not empty; undefined for everything else. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
