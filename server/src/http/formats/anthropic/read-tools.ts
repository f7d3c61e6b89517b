import type { Tool, ToolChoice } from "@trunkline/core/conversation.ts";
import {
  type Fields,
  invalidField,
  readChoice,
  readList,
  readObject,
  readOptional,
  readString,
} from "../../requests/fields.ts";
import { readCacheControl } from "./read-cache-mark.ts";

const TOOLS_MAX = 1_024;
/** What a tool of the client's own may say; anything else about it is dropped and told so. */
const KNOWN_TOOL_FIELDS = new Set(["type", "name", "description", "input_schema", "strict", "cache_control"]);

/** The client's own tools. Those that only Anthropic has are dropped, and named among what was. */
export function readTools(value: unknown, dropped: Set<string>): Tool[] {
  return (readOptional(value, (given) => readList(given, "tools", TOOLS_MAX, readEach)) ?? []).flat();

  function readEach(item: unknown, param: string): Tool[] {
    const fields = readObject(item, param);
    if (typeof fields.type === "string" && fields.type !== "custom") {
      dropped.add(`tools.${fields.type}`);
      return [];
    }
    for (const name of Object.keys(fields)) if (!KNOWN_TOOL_FIELDS.has(name)) dropped.add(`tools.${name}`);
    return [
      {
        name: readString(fields.name, `${param}.name`, 1, 256),
        description:
          readOptional(fields.description, (text) => readString(text, `${param}.description`, 0, 100_000)) ??
          "",
        inputSchema: readObject(fields.input_schema, `${param}.input_schema`),
        ...(fields.strict === true ? { strict: true } : {}),
        ...readCacheControl(fields, param),
      },
    ];
  }
}

export interface ToolChoiceFields {
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
}

/** Which tools may or must be called. A call that is asked for and can't be made is refused, not left out. */
export function readToolChoice(value: unknown, tools: readonly Tool[]): ToolChoiceFields {
  const fields = readOptional(value, (given) => readObject(given, "tool_choice"));
  if (fields === undefined) return {};
  const parallel = fields.disable_parallel_tool_use === true ? { parallelToolCalls: false } : {};
  const toolChoice = toToolChoice(fields, tools);
  return tools.length === 0 ? {} : { toolChoice, ...parallel };
}

function toToolChoice(fields: Fields, tools: readonly Tool[]): ToolChoice {
  const type = readChoice(fields.type, "tool_choice.type", ["auto", "any", "tool", "none"]);
  if (type === "auto" || type === "none") return type;
  if (type === "any") {
    if (tools.length === 0)
      throw invalidField(
        "tool_choice",
        "`tool_choice` asks for a tool, but `tools` has none that can be called.",
      );
    return "required";
  }
  const name = readString(fields.name, "tool_choice.name", 1, 256);
  if (!tools.some((tool) => tool.name === name)) {
    throw invalidField(
      "tool_choice.name",
      "`tool_choice.name` must be one of `tools`. Tools that Anthropic runs itself can't be called here.",
    );
  }
  return { name };
}
