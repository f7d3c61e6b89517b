import type { Conversation, Tool, ToolChoice } from "@trunkline/core/conversation.ts";
import { z } from "zod";
import { booleanField, Field, fieldTable, listField } from "../../../requests/field-table.ts";
import {
  type Fields,
  hasAnyOf,
  invalidField,
  readChoice,
  readList,
  readObject,
  readString,
} from "../../../requests/fields.ts";
import {
  customDefinition,
  type DefinitionPlace,
  functionDefinition,
  otherTool,
  readFunction,
  readName,
  readToolList,
  TOOLS_MAX,
} from "../tool-forms.ts";

/** The most characters of all tools together, as JSON. */
const DEFINITIONS_LENGTH_MAX = 400_000;

export interface ToolFields extends Required<Pick<Conversation, "tools" | "toolChoice" | "parallelToolCalls">> {
  /** What of them is dropped. */
  readonly dropped: readonly string[];
}

/** The tools of a body that has none. */
export const NO_TOOLS: ToolFields = { tools: [], toolChoice: undefined, parallelToolCalls: undefined, dropped: [] };

const namedFunction = z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) });

export const toolFields = {
  tools: new Field(
    (value, param, dropped: Set<string>) => readToolList(value, param, "inside", dropped),
    z
      .array(
        z.union([
          z.object({ type: z.literal("function"), function: functionDefinition }),
          z.object({ type: z.literal("custom"), custom: customDefinition }),
          otherTool,
        ]),
      )
      .max(TOOLS_MAX),
  ).optional(),
  tool_choice: new Field(
    readToolChoice,
    z.union([
      z.enum(["none", "auto", "required"]),
      namedFunction,
      z.object({ type: z.literal("custom"), custom: z.object({ name: z.string() }) }),
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
  const dropped = new Set<string>();
  const tools = [...(read.tools(fields, dropped) ?? []), ...(read.functions(fields) ?? [])];
  checkTools(tools, fields.tools === undefined ? "functions" : "tools");
  const parallelToolCalls = read.parallel_tool_calls(fields);
  const choice = read.tool_choice(fields, { tools, dropped }) ?? read.function_call(fields, tools);
  return {
    tools: choice?.tools ?? tools,
    toolChoice: choice?.toolChoice,
    parallelToolCalls,
    dropped: [...dropped],
  };
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

/** The tools that a choice may name, and what was dropped of them. */
export interface ChoosableTools {
  readonly tools: readonly Tool[];
  readonly dropped: Set<string>;
}

function readToolChoice(value: unknown, param: string, { tools, dropped }: ChoosableTools): ChosenTools {
  if (typeof value === "string") return readPlainChoice(value, param, { tools, dropped });
  const { type, allowed_tools: allowed, [String(type)]: named } = readObject(value, param);
  switch (type) {
    case "function":
    case "custom":
      return { toolChoice: readNamedTool(named, `${param}.${type}`, tools) };
    case "allowed_tools":
      return readAllowedTools(allowed, `${param}.allowed_tools`, "inside", { tools, dropped });
    default:
      return dropToolChoice(type, param, dropped);
  }
}

type ChosenTools = Partial<Pick<ToolFields, "tools" | "toolChoice">>;

/** Whether the model may or must call a tool. Where all of them were dropped, it can't. */
export function readPlainChoice(value: string, param: string, { tools, dropped }: ChoosableTools): ChosenTools {
  const choice = readChoice(value, param, ["none", "auto", "required"]);
  if (choice === "required" && tools.length === 0 && dropped.size === 0)
    throw invalidField(param, `\`${param}\` can't be required where there are no \`tools\`.`);
  return withToolChoice(choice, tools);
}

/** A choice of a tool that was dropped leaves the model free. */
export function dropToolChoice(type: unknown, param: string, dropped: Set<string>): ChosenTools {
  if (typeof type !== "string") throw invalidField(`${param}.type`, `\`${param}.type\` must be a string.`);
  dropped.add(param);
  return {};
}

/** Only the allowed tools go to the model, so no provider has to know this form. */
export function readAllowedTools(
  value: unknown,
  param: string,
  place: DefinitionPlace,
  { tools, dropped }: ChoosableTools,
): ChosenTools {
  const { mode, tools: listed } = readObject(value, param);
  const entries = readList(listed, `${param}.tools`, TOOLS_MAX, (item, at) => {
    const fields = readObject(item, at);
    const type = readString(fields.type, `${at}.type`, 1, 64);
    if (type !== "function" && type !== "custom") {
      dropped.add(`tools.${type}`);
      return [];
    }
    return [
      place === "beside"
        ? readNamedTool(fields, at, tools).name
        : readNamedTool(fields[type], `${at}.${type}`, tools).name,
    ];
  });
  const names = new Set(entries.flat());
  if (entries.length === 0) throw invalidField(`${param}.tools`, `\`${param}.tools\` must not be empty.`);
  const choice = readChoice<"auto" | "required">(mode, `${param}.mode`, ["auto", "required"]);
  const allowed = tools.filter(({ name }) => names.has(name));
  return { tools: allowed, ...withToolChoice(choice, allowed) };
}

function readFunctionCall(value: unknown, param: string, tools: readonly Tool[]): ChosenTools {
  if (typeof value === "string") return withToolChoice(readChoice(value, param, ["none", "auto"]), tools);
  return { toolChoice: readNamedTool(value, param, tools) };
}

/** Without tools there is nothing to choose. */
export function withToolChoice(toolChoice: Exclude<ToolChoice, object>, tools: readonly Tool[]): ChosenTools {
  return tools.length === 0 ? {} : { toolChoice };
}

/** The name of one of the tools. */
export function readNamedTool(value: unknown, param: string, tools: readonly Tool[]): { readonly name: string } {
  const name = readName(readObject(value, param).name, `${param}.name`);
  if (!tools.some((tool) => tool.name === name))
    throw invalidField(`${param}.name`, `\`${param}.name\` must be the name of one of the \`tools\`.`);
  return { name };
}
