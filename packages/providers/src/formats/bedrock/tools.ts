import type { Conversation, Tool } from "@trunkline/core/conversation.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import type { ClaudeCapabilities } from "../anthropic/capabilities.ts";
import { isToolCallForced } from "../anthropic/tools.ts";
import { toCachePoint } from "./content-blocks.ts";

/** The tools of a request; undefined where there are none. */
export function toToolConfig(
  conversation: Conversation,
  traits: ClaudeCapabilities,
  drop: (field: string) => void,
): JsonObject | undefined {
  const { toolChoice, parallelToolCalls } = conversation;
  const called = toolsInHistory(conversation);
  const isNone = toolChoice === "none";
  // The API can't be told to call none: where nothing was called yet, it is not told of any.
  const tools =
    conversation.tools.length > 0 && !(isNone && called.length === 0) ? conversation.tools : called;
  if (tools.length === 0) return undefined;
  if (isNone && conversation.tools.length > 0) drop("tool_choice");
  if (parallelToolCalls === false && conversation.tools.length > 0) drop("parallel_tool_calls");
  return {
    tools: tools.flatMap((tool) => [{ toolSpec: toToolSpec(tool) }, ...toCachePoint(tool.cache)]),
    ...toToolChoiceField(conversation, traits, drop),
  };
}

function toToolSpec({ name, description, inputSchema, strict }: Tool): JsonObject {
  return {
    name,
    ...(description === "" ? {} : { description }),
    inputSchema: { json: inputSchema ?? { type: "object" } },
    ...(strict === true ? { strict } : {}),
  };
}

function toToolChoiceField(
  conversation: Conversation,
  traits: ClaudeCapabilities,
  drop: (field: string) => void,
): JsonObject {
  const { toolChoice } = conversation;
  if (isToolCallForced(conversation) && !traits.forcedToolChoice) {
    drop("tool_choice");
    return {};
  }
  if (toolChoice === "required" && isToolCallForced(conversation)) return { toolChoice: { any: {} } };
  if (typeof toolChoice === "object" && isToolCallForced(conversation))
    return { toolChoice: { tool: { name: toolChoice.name } } };
  return toolChoice === "auto" ? { toolChoice: { auto: {} } } : {};
}

/** A conversation in which tools were called is refused where it names no tools, so that those are named that it had. */
function toolsInHistory({ messages }: Conversation): Tool[] {
  const calls = messages.flatMap(({ content }) => content.filter((piece) => piece.type === "tool-call"));
  return [...new Set(calls.map(({ name }) => name))].map((name) => ({
    name,
    description: "",
    inputSchema: { type: "object" },
  }));
}
