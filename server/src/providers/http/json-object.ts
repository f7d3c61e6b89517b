import type { JsonObject } from "./json-frames.ts";

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a field was said at all: many providers write null for what they leave out. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The objects of a list, or none where it is no list. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
