import type { Conversation, Tool, ToolChoice } from "@trunkline/core/conversation.ts";
import { z } from "zod";
import { booleanField, Field, fieldTable, listField } from "../../../requests/field-table.ts";
import {
  type Fields,
  hasAnyOf,
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
/** The most characters of all tools together, as JSON. */
const DEFINITIONS_LENGTH_MAX = 400_000;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export type ToolFields = Required<Pick<Conversation, "tools" | "toolChoice" | "parallelToolCalls">>;

/** The tools of a body that has none. */
export const NO_TOOLS: ToolFields = { tools: [], toolChoice: undefined, parallelToolCalls: undefined };

const functionDefinition = z.object({
  name: z.string().regex(NAME),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional().describe("A JSON schema."),
  strict: z.boolean().nullish(),
});
const namedFunction = z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) });

export const toolFields = {
  tools: listField(
    TOOLS_MAX,
    new Field(readTool, z.object({ type: z.literal("function"), function: functionDefinition })),
  ).optional(),
  tool_choice: new Field(
    readToolChoice,
    z.union([
      z.enum(["none", "auto", "required"]),
      namedFunction,
      z.object({
        type: z.literal("allowed_tools"),
        allowed_tools: z.object({ mode: z.enum(["auto", "required"]), tools: z.array(namedFunction) }),
      }),
    ]),
  ).optional(),
  parallel_tool_calls: booleanField().optional(),
  functions: listField(TOOLS_MAX, new Field(readFunction, functionDefinition))
    .optional()
    .describe("The old form of `tools`."),
  function_call: new Field(
    readFunctionCall,
    z.union([z.enum(["none", "auto"]), z.object({ name: z.string() })]),
  ).optional(),
};

const { read, names } = fieldTable(toolFields);

/** The tools of a chat and which of them may be called, in today's form or in the old one of functions. */
export function readTools(fields: Fields): ToolFields {
  if (!hasAnyOf(fields, names)) return NO_TOOLS;
  const tools = [...(read.tools(fields) ?? []), ...(read.functions(fields) ?? [])];
  checkTools(tools, fields.tools === undefined ? "functions" : "tools");
  const parallelToolCalls = read.parallel_tool_calls(fields);
  const choice = read.tool_choice(fields, tools) ?? read.function_call(fields, tools);
  return { tools: choice?.tools ?? tools, toolChoice: choice?.toolChoice, parallelToolCalls };
}

function readTool(value: unknown, param: string): Tool {
  const { type, function: definition } = readObject(value, param);
  if (type !== "function")
    throw invalidField(`${param}.type`, `\`${param}.type\` must be function: no other tools are known here.`);
  return readFunction(definition, `${param}.function`);
}

/** The definition of a function: its name, description and parameters. */
export function readFunction(value: unknown, param: string): Tool {
  const { name, description, parameters, strict } = readObject(value, param);
  const isStrict = readOptional(strict, (given) => readBoolean(given, `${param}.strict`));
  return {
    name: readFunctionName(name, `${param}.name`),
    description:
      readOptional(description, (given) => readString(given, `${param}.description`, 0, DESCRIPTION_LENGTH_MAX)) ?? "",
    // A function without parameters may leave the schema out.
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

/** Refuses two tools of one name, which a call could not distinguish, and definitions that are too long. */
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

function readToolChoice(value: unknown, param: string, tools: readonly Tool[]): Partial<ToolFields> {
  if (typeof value === "string") {
    const choice = readChoice(value, param, ["none", "auto", "required"]);
    if (choice === "required" && tools.length === 0)
      throw invalidField(param, `\`${param}\` can't be required where there are no \`tools\`.`);
    return withToolChoice(choice, tools);
  }
  const { type, function: named, allowed_tools: allowed } = readObject(value, param);
  switch (type) {
    case "function":
      return { toolChoice: readNamedTool(named, `${param}.function`, tools) };
    case "allowed_tools":
      return readAllowedTools(allowed, `${param}.allowed_tools`, tools);
    default:
      throw invalidField(`${param}.type`, `\`${param}.type\` must be one of: function, allowed_tools.`);
  }
}

/** Only the allowed tools go to the model, so no provider has to know this form. */
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

function readFunctionCall(value: unknown, param: string, tools: readonly Tool[]): Partial<ToolFields> {
  if (typeof value === "string") return withToolChoice(readChoice(value, param, ["none", "auto"]), tools);
  return { toolChoice: readNamedTool(value, param, tools) };
}

/** Without tools there is nothing to choose. */
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
