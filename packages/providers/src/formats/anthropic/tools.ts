import type { Conversation, Tool } from "@trunkline/core/conversation.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { toCacheControl } from "./blocks.ts";
import type { ClaudeTraits } from "./capabilities.ts";

type Drop = (field: string) => void;

/** Whether the model is told that it must call a tool. */
export function isForced({ toolChoice, tools }: Conversation): boolean {
  return tools.length > 0 && (toolChoice === "required" || typeof toolChoice === "object");
}

/** The fields of a request that are about tools. */
export function toToolFields(conversation: Conversation, traits: ClaudeTraits, drop: Drop): JsonObject {
  const { tools } = conversation;
  if (tools.length === 0) return {};
  return {
    tools: tools.map((tool) => toWireTool(tool, traits, drop)),
    ...toChoiceField(conversation, traits, drop),
  };
}

function toWireTool(
  { name, description, inputSchema, strict, cache }: Tool,
  traits: ClaudeTraits,
  drop: Drop,
) {
  if (strict === true && !traits.structured) drop("strict");
  return {
    name,
    ...(description === "" ? {} : { description }),
    input_schema: inputSchema ?? { type: "object" },
    ...(strict !== undefined && traits.structured ? { strict } : {}),
    ...toCacheControl(cache),
  };
}

function toChoiceField(conversation: Conversation, traits: ClaudeTraits, drop: Drop): JsonObject {
  const { toolChoice, parallelToolCalls } = conversation;
  const oneAtATime = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (toolChoice === "none") return { tool_choice: { type: "none" } };
  if (isForced(conversation) && !traits.forcedTools) drop("tool_choice");
  else if (toolChoice === "required") return { tool_choice: { type: "any", ...oneAtATime } };
  else if (typeof toolChoice === "object")
    return { tool_choice: { type: "tool", name: toolChoice.name, ...oneAtATime } };
  const isSaid = toolChoice === "auto" || parallelToolCalls === false;
  return isSaid ? { tool_choice: { type: "auto", ...oneAtATime } } : {};
}
