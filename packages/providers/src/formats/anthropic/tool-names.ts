import { createHash } from "node:crypto";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject } from "../../http/json-object.ts";

/** An id of a call that these providers take: one of another provider may be made of other characters. */
export function toToolCallId(id: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(id)) return id;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}

/** The arguments of a call as the object that they are; what is no object is kept as words. */
export function parseArguments(json: string): JsonObject {
  if (json.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) return value;
  } catch {
    // A call that was cut short, in the history of another provider.
  }
  return { arguments: json };
}
