import type { ToolCallPart } from "@trunkline/core/answer.ts";
import { newToolCallId } from "../../http/call-id.ts";
import { isObject } from "../../http/json-object.ts";

/** Whether a model may call a tool of this name. */
export type IsKnownTool = (name: string) => boolean;

/** The calls in a list of `{name, arguments}`; undefined where it is anything else, or names a tool that nobody gave. */
export function readToolCalls(list: unknown, knows: IsKnownTool): readonly ToolCallPart[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const calls = list.flatMap((item) => readToolCall(item, knows) ?? []);
  return calls.length === list.length ? calls : undefined;
}

function readToolCall(item: unknown, knows: IsKnownTool): ToolCallPart | undefined {
  if (!isObject(item) || typeof item.name !== "string" || !knows(item.name)) return undefined;
  const input = readArguments(item.arguments ?? {});
  if (input === undefined) return undefined;
  const id = typeof item.id === "string" && item.id !== "" ? item.id : newToolCallId();
  return { type: "tool-call", id, name: item.name, arguments: JSON.stringify(input) };
}

/** An object, or a text that holds one. */
function readArguments(given: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof given !== "string") return isObject(given) ? given : undefined;
  try {
    const read: unknown = JSON.parse(given);
    return isObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}
