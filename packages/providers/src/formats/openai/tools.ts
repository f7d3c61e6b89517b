import type { Conversation, Tool, ToolChoice } from "@trunkline/core/conversation.ts";
import type { ConversionContext } from "./content.ts";

/** The tools of a conversation and how they may be used. Without tools nothing is said of their use. */
export function toToolFields(
  { tools, toolChoice, parallelToolCalls }: Conversation,
  { quirks, onUnsupported: onDropped }: ConversionContext,
): Record<string, unknown> {
  if (tools.length === 0) return {};
  if (tools.some(({ cache }) => cache !== undefined)) onDropped("cache_control");
  const keepsChoice = !quirks.unsupported.has("tool_choice");
  if (!keepsChoice && toolChoice !== undefined && toolChoice !== "auto") onDropped("tool_choice");
  const keepsParallel = !quirks.unsupported.has("parallel_tool_calls");
  if (!keepsParallel && parallelToolCalls !== undefined) onDropped("parallel_tool_calls");
  return {
    tools: tools.map(toTool),
    tool_choice: keepsChoice && toolChoice !== undefined ? toToolChoice(toolChoice) : undefined,
    parallel_tool_calls: keepsParallel ? parallelToolCalls : undefined,
  };
}

function toTool({ name, description, inputSchema, strict }: Tool): object {
  return {
    type: "function",
    function: {
      name,
      description: description === "" ? undefined : description,
      parameters: inputSchema,
      strict,
    },
  };
}

function toToolChoice(choice: ToolChoice): unknown {
  return typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } };
}
