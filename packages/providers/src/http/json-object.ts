import type { JsonObject } from "./json-stream.ts";

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a field was said at all: many providers write null for what they leave out. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The objects of a list, or none where it is no list. */
export function objectItems(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** An object's field as an object; an empty one where there is none. */
export function objectField(parent: JsonObject, field: string): JsonObject {
  const value = parent[field];
  return isObject(value) ? value : {};
}

/** A text that says something; undefined for everything else. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
