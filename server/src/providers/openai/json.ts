import type { JsonObject } from "../http/json-frames.ts";

/** Whether a value that came from outside is an object with fields. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object's field as an object; an empty one where there is none. */
export function objectIn(parent: JsonObject, field: string): JsonObject {
  const value = parent[field];
  return isObject(value) ? value : {};
}

/** The objects in a list; none where it is no list. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A text that says something; undefined for everything else. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
