import type { Tool } from "@trunkline/core/conversation.ts";
import { z } from "zod";
import { booleanField, Field, fieldTable, listField } from "../../../requests/field-table.ts";
import { type Fields, hasAnyOf, invalidField, readChoice, readList, readObject } from "../../../requests/fields.ts";
import {
  checkTools,
  NO_TOOLS,
  readFunction,
  readNamedTool,
  TOOLS_MAX,
  type ToolFields,
  withToolChoice,
} from "../chat/tools.ts";

const toolSchema = z.object({
  type: z.literal("function"),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.looseObject({}).nullish(),
  strict: z.boolean().nullish(),
});

export const responseToolFields = {
  tools: listField(TOOLS_MAX, new Field(readTool, toolSchema)).nullish(),
  tool_choice: new Field(
    readToolChoice,
    z.union([z.enum(["none", "auto", "required"]), z.looseObject({ type: z.string() })]),
  ).nullish(),
  parallel_tool_calls: booleanField().nullish(),
};

const { read, names } = fieldTable(responseToolFields);

/** The tools of a body and which of them may be called. */
export function readResponseTools(fields: Fields): ToolFields {
  if (!hasAnyOf(fields, names)) return NO_TOOLS;
  const tools = read.tools(fields) ?? [];
  checkTools(tools, "tools");
  const parallelToolCalls = read.parallel_tool_calls(fields);
  const choice = read.tool_choice(fields, tools);
  return { tools: choice?.tools ?? tools, toolChoice: choice?.toolChoice, parallelToolCalls };
}

function readTool(value: unknown, param: string): Tool {
  const { type } = readObject(value, param);
  if (type === "function") return readFunction(value, param);
  throw invalidField(
    `${param}.type`,
    `\`${param}.type\` must be function: no tools run here, and those of your own are functions.`,
  );
}

function readToolChoice(value: unknown, param: string, tools: readonly Tool[]): Partial<ToolFields> {
  if (typeof value === "string") {
    const choice = readChoice(value, param, ["none", "auto", "required"]);
    if (choice === "required" && tools.length === 0)
      throw invalidField(param, `\`${param}\` can't be required where there are no \`tools\`.`);
    return withToolChoice(choice, tools);
  }
  const { type, mode, tools: listed } = readObject(value, param);
  if (type === "function") return { toolChoice: readNamedTool(value, param, tools) };
  if (type !== "allowed_tools")
    throw invalidField(`${param}.type`, `\`${param}.type\` must be one of: function, allowed_tools.`);
  const names = readList(listed, `${param}.tools`, TOOLS_MAX, (item, at) => readNamedTool(item, at, tools).name);
  if (names.length === 0) throw invalidField(`${param}.tools`, `\`${param}.tools\` must not be empty.`);
  // Only the allowed tools go to the model, so no provider has to know this form.
  return {
    tools: tools.filter(({ name }) => names.includes(name)),
    toolChoice: readChoice<"auto" | "required">(mode, `${param}.mode`, ["auto", "required"]),
  };
}
