import type { Tool } from "@trunkline/core/conversation.ts";
import {
  type Fields,
  invalidField,
  readBoolean,
  readChoice,
  readList,
  readObject,
  readOptional,
} from "../../../requests/fields.ts";
import { checkTools, readFunction, readNamedTool, TOOLS_MAX, type ToolFields, withToolChoice } from "../chat/tools.ts";

/** The tools of a body and which of them may be called. */
export function readResponseTools(fields: Fields): ToolFields {
  const tools = readOptional(fields.tools, (value) => readList(value, "tools", TOOLS_MAX, readTool)) ?? [];
  checkTools(tools, "tools");
  const parallelToolCalls = readOptional(fields.parallel_tool_calls, (value) =>
    readBoolean(value, "parallel_tool_calls"),
  );
  return {
    tools,
    ...readOptional(fields.tool_choice, (value) => readToolChoice(value, tools)),
    ...(parallelToolCalls === undefined ? {} : { parallelToolCalls }),
  };
}

function readTool(value: unknown, param: string): Tool {
  const { type } = readObject(value, param);
  if (type === "function") return readFunction(value, param);
  throw invalidField(
    `${param}.type`,
    `\`${param}.type\` must be function: no tools run here, and those of your own are functions.`,
  );
}

function readToolChoice(value: unknown, tools: readonly Tool[]): Partial<ToolFields> {
  if (typeof value === "string") {
    const choice = readChoice(value, "tool_choice", ["none", "auto", "required"]);
    if (choice === "required" && tools.length === 0)
      throw invalidField("tool_choice", "`tool_choice` can't be required where there are no `tools`.");
    return withToolChoice(choice, tools);
  }
  const { type, mode, tools: listed } = readObject(value, "tool_choice");
  if (type === "function") return { toolChoice: readNamedTool(value, "tool_choice", tools) };
  if (type !== "allowed_tools")
    throw invalidField("tool_choice.type", "`tool_choice.type` must be one of: function, allowed_tools.");
  const names = readList(listed, "tool_choice.tools", TOOLS_MAX, (item, at) => readNamedTool(item, at, tools).name);
  if (names.length === 0) throw invalidField("tool_choice.tools", "`tool_choice.tools` must not be empty.");
  // Only the tools that are allowed go to the model at all: no provider has to know of this form.
  return {
    tools: tools.filter(({ name }) => names.includes(name)),
    toolChoice: readChoice<"auto" | "required">(mode, "tool_choice.mode", ["auto", "required"]),
  };
}
