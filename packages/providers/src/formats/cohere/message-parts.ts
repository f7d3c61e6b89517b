import type { Part, ToolCallPart } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import { newToolCallId } from "../../http/call-id.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject, objectItems } from "../../http/json-object.ts";

/** The parts of a whole message: the plan of its calls, its words and thoughts, and its calls. */
export function toParts(message: JsonObject): Part[] {
  const blocks =
    typeof message.content === "string" ? [{ text: message.content }] : objectItems(message.content);
  return [
    ...toThinkingParts(message.tool_plan),
    ...blocks.flatMap(toBlockParts),
    ...objectItems(message.tool_calls).map((call) => toToolCall(call.id, call.function)),
  ];
}

/** What a block of content, or a piece of one, holds. */
export function toBlockParts({ text, thinking }: JsonObject): Part[] {
  return [...toThinkingParts(thinking), ...(typeof text === "string" && text !== "" ? [textPart(text)] : [])];
}

export function toThinkingParts(text: unknown): Part[] {
  return typeof text === "string" && text !== "" ? [{ type: "thinking", text }] : [];
}

/** A whole call. No input at all is an empty one. */
export function toToolCall(id: unknown, given: unknown): ToolCallPart {
  const { name, arguments: input } = isObject(given) ? given : {};
  const text = typeof input === "string" && input.trim() !== "" ? input : "{}";
  if (typeof name !== "string" || !isJson(text)) {
    throw new ProviderFailure("broken", "wrote a call of a tool that can't be read", {
      blamesEndpoint: false,
    });
  }
  return {
    type: "tool-call",
    id: typeof id === "string" && id !== "" ? id : newToolCallId(),
    name,
    arguments: text,
  };
}

/** How likely words were, in OpenAI's form. Where several tokens have one text, they are as likely as all of them are. */
export function toLogprobs(items: readonly JsonObject[]): readonly unknown[] {
  return items.map(({ text, logprobs }) => {
    const token = typeof text === "string" ? text : "";
    const numbers = Array.isArray(logprobs) ? logprobs.filter((one) => typeof one === "number") : [];
    const logprob = numbers.reduce((sum, one) => sum + one, 0);
    return { token, logprob, bytes: [...Buffer.from(token)], top_logprobs: [] };
  });
}

function textPart(text: string): Part {
  return { type: "text", text };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
