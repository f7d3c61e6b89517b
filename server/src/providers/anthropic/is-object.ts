import type { JsonObject } from "../http/json-frames.ts";

/** Whether a value is an object with fields, and no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
