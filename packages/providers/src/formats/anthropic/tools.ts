import type { Conversation, Tool } from "@trunkline/core/conversation.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { toCacheControl } from "./blocks.ts";
import type { ClaudeCapabilities } from "./capabilities.ts";

type ReportUnsupported = (field: string) => void;

/** Whether the model is told that it must call a tool. */
export function isToolCallForced({ toolChoice, tools }: Conversation): boolean {
  return tools.length > 0 && (toolChoice === "required" || typeof toolChoice === "object");
}

/** The fields of a request that are about tools. */
export function toToolFields(
  conversation: Conversation,
  traits: ClaudeCapabilities,
  reportUnsupported: ReportUnsupported,
): JsonObject {
  const { tools } = conversation;
  if (tools.length === 0) return {};
  return {
    tools: tools.map((tool) => toWireTool(tool, traits, reportUnsupported)),
    ...toToolChoiceField(conversation, traits, reportUnsupported),
  };
}

function toWireTool(
  { name, description, inputSchema, strict, cache }: Tool,
  traits: ClaudeCapabilities,
  reportUnsupported: ReportUnsupported,
) {
  if (strict === true && !traits.structuredOutput) reportUnsupported("strict");
  return {
    name,
    ...(description === "" ? {} : { description }),
    input_schema: inputSchema ?? { type: "object" },
    ...(strict !== undefined && traits.structuredOutput ? { strict } : {}),
    ...toCacheControl(cache),
  };
}

function toToolChoiceField(
  conversation: Conversation,
  traits: ClaudeCapabilities,
  reportUnsupported: ReportUnsupported,
): JsonObject {
  const { toolChoice, parallelToolCalls } = conversation;
  const oneAtATime = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (toolChoice === "none") return { tool_choice: { type: "none" } };
  if (isToolCallForced(conversation) && !traits.forcedToolChoice) reportUnsupported("tool_choice");
  else if (toolChoice === "required") return { tool_choice: { type: "any", ...oneAtATime } };
  else if (typeof toolChoice === "object")
    return { tool_choice: { type: "tool", name: toolChoice.name, ...oneAtATime } };
  const isSaid = toolChoice === "auto" || parallelToolCalls === false;
  return isSaid ? { tool_choice: { type: "auto", ...oneAtATime } } : {};
}
