import type { Conversation, Tool, ToolChoice } from "@trunkline/core/conversation.ts";
import {
  type Fields,
  invalidField,
  readBoolean,
  readChoice,
  readList,
  readObject,
  readOptional,
  readString,
} from "../../../requests/fields.ts";

export const TOOLS_MAX = 128;
const DESCRIPTION_LENGTH_MAX = 16_384;
/** The most that all tools together may take, as JSON. */
const DEFINITIONS_LENGTH_MAX = 400_000;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export type ToolFields = Pick<Conversation, "tools" | "toolChoice" | "parallelToolCalls">;

/** The tools of a chat and which of them may be called, in the form of today or in the old one of functions. */
export function readTools(fields: Fields): ToolFields {
  const tools = [
    ...(readOptional(fields.tools, (value) => readList(value, "tools", TOOLS_MAX, readTool)) ?? []),
    ...(readOptional(fields.functions, (value) => readList(value, "functions", TOOLS_MAX, readFunction)) ?? []),
  ];
  checkTools(tools, fields.tools === undefined ? "functions" : "tools");
  const parallelToolCalls = readOptional(fields.parallel_tool_calls, (value) =>
    readBoolean(value, "parallel_tool_calls"),
  );
  const choice =
    readOptional(fields.tool_choice, (value) => readToolChoice(value, tools)) ??
    readOptional(fields.function_call, (value) => readFunctionCall(value, tools));
  return { tools, ...choice, ...(parallelToolCalls === undefined ? {} : { parallelToolCalls }) };
}

function readTool(value: unknown, param: string): Tool {
  const { type, function: definition } = readObject(value, param);
  if (type !== "function")
    throw invalidField(`${param}.type`, `\`${param}.type\` must be function: no other tools are known here.`);
  return readFunction(definition, `${param}.function`);
}

/** A function as it is defined: its name, what it is for, and what it takes. */
export function readFunction(value: unknown, param: string): Tool {
  const { name, description, parameters, strict } = readObject(value, param);
  const isStrict = readOptional(strict, (given) => readBoolean(given, `${param}.strict`));
  return {
    name: readFunctionName(name, `${param}.name`),
    description:
      readOptional(description, (given) => readString(given, `${param}.description`, 0, DESCRIPTION_LENGTH_MAX)) ?? "",
    // A function that takes nothing may say nothing of it.
    inputSchema: readOptional(parameters, (given) => readObject(given, `${param}.parameters`)) ?? {
      type: "object",
      properties: {},
    },
    ...(isStrict === undefined ? {} : { strict: isStrict }),
  };
}

function readFunctionName(value: unknown, param: string): string {
  const name = readString(value, param, 1, 64);
  if (!NAME.test(name)) throw invalidField(param, `\`${param}\` may hold letters, digits, _ and - only.`);
  return name;
}

/** Two tools of one name can't be told apart, and too many words about them would be a conversation of their own. */
export function checkTools(tools: readonly Tool[], param: string): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw invalidField(param, `\`${param}\` holds two functions with the name ${name}.`);
    names.add(name);
  }
  if (tools.length > 0 && JSON.stringify(tools).length > DEFINITIONS_LENGTH_MAX) {
    throw invalidField(
      param,
      `\`${param}\` may have at most ${DEFINITIONS_LENGTH_MAX.toLocaleString("en")} characters as JSON.`,
    );
  }
}

function readToolChoice(value: unknown, tools: readonly Tool[]): Partial<ToolFields> {
  if (typeof value === "string") {
    const choice = readChoice(value, "tool_choice", ["none", "auto", "required"]);
    if (choice === "required" && tools.length === 0)
      throw invalidField("tool_choice", "`tool_choice` can't be required where there are no `tools`.");
    return withToolChoice(choice, tools);
  }
  const { type, function: named, allowed_tools: allowed } = readObject(value, "tool_choice");
  switch (type) {
    case "function":
      return { toolChoice: readNamedTool(named, "tool_choice.function", tools) };
    case "allowed_tools":
      return readAllowedTools(allowed, "tool_choice.allowed_tools", tools);
    default:
      throw invalidField("tool_choice.type", "`tool_choice.type` must be one of: function, allowed_tools.");
  }
}

/** Only the tools that are allowed go to the model at all: no provider has to know of this form. */
function readAllowedTools(value: unknown, param: string, tools: readonly Tool[]): Partial<ToolFields> {
  const { mode, tools: listed } = readObject(value, param);
  const names = new Set(
    readList(listed, `${param}.tools`, TOOLS_MAX, (item, at) => {
      const { type, function: named } = readObject(item, at);
      if (type !== "function") throw invalidField(`${at}.type`, `\`${at}.type\` must be function.`);
      return readNamedTool(named, `${at}.function`, tools).name;
    }),
  );
  if (names.size === 0) throw invalidField(`${param}.tools`, `\`${param}.tools\` must not be empty.`);
  return {
    tools: tools.filter(({ name }) => names.has(name)),
    toolChoice: readChoice<"auto" | "required">(mode, `${param}.mode`, ["auto", "required"]),
  };
}

function readFunctionCall(value: unknown, tools: readonly Tool[]): Partial<ToolFields> {
  if (typeof value === "string") return withToolChoice(readChoice(value, "function_call", ["none", "auto"]), tools);
  return { toolChoice: readNamedTool(value, "function_call", tools) };
}

/** Where there are no tools, there is nothing to choose. */
export function withToolChoice(toolChoice: Exclude<ToolChoice, object>, tools: readonly Tool[]): Partial<ToolFields> {
  return tools.length === 0 ? {} : { toolChoice };
}

/** The name of one of the tools. */
export function readNamedTool(value: unknown, param: string, tools: readonly Tool[]): { readonly name: string } {
  const name = readFunctionName(readObject(value, param).name, `${param}.name`);
  if (!tools.some((tool) => tool.name === name))
    throw invalidField(`${param}.name`, `\`${param}.name\` must be the name of one of the \`tools\`.`);
  return { name };
}
