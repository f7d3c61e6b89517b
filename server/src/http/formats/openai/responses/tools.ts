import { z } from "zod";
import { booleanField, Field, fieldTable } from "../../../requests/field-table.ts";
import { type Fields, hasAnyOf, readObject } from "../../../requests/fields.ts";
import {
  type ChoosableTools,
  checkTools,
  dropToolChoice,
  NO_TOOLS,
  readAllowedTools,
  readNamedTool,
  readPlainChoice,
  type ToolFields,
} from "../chat/tools.ts";
import { customDefinition, functionDefinition, otherTool, readToolList, TOOLS_MAX } from "../tool-forms.ts";

const ownTool = z.union([
  functionDefinition.extend({ type: z.literal("function") }),
  customDefinition.extend({ type: z.literal("custom") }),
]);

export const responseToolFields = {
  tools: new Field(
    (value, param, dropped: Set<string>) => readToolList(value, param, "beside", dropped),
    z
      .array(
        z.union([
          ownTool,
          z.object({ type: z.literal("namespace"), name: z.string(), tools: z.array(ownTool) }),
          otherTool,
        ]),
      )
      .max(TOOLS_MAX),
  ).nullish(),
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
  const dropped = new Set<string>();
  const tools = read.tools(fields, dropped) ?? [];
  checkTools(tools, "tools");
  const parallelToolCalls = read.parallel_tool_calls(fields);
  const choice = read.tool_choice(fields, { tools, dropped });
  return {
    tools: choice?.tools ?? tools,
    toolChoice: choice?.toolChoice,
    parallelToolCalls,
    dropped: [...dropped],
  };
}

function readToolChoice(value: unknown, param: string, choosable: ChoosableTools) {
  if (typeof value === "string") return readPlainChoice(value, param, choosable);
  const { type } = readObject(value, param);
  if (type === "function" || type === "custom") return { toolChoice: readNamedTool(value, param, choosable.tools) };
  if (type === "allowed_tools") return readAllowedTools(value, param, "beside", choosable);
  return dropToolChoice(type, param, choosable.dropped);
}
