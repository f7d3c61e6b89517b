import { texts } from "../../texts/texts.ts";
import { jsonObjectIn } from "./json-text.ts";

/** A function that the model may call. */
export interface FunctionTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: Record<string, unknown>;
  readonly strict?: boolean;
}

export const MOST_TOOLS = 32;

/** What a new tool begins with. */
export const EXAMPLE_TOOL = JSON.stringify(
  {
    name: "get_weather",
    description: texts.playground.toolExample,
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
  },
  null,
  2,
);

/** Why a text is no tool; undefined where it is one. */
export function findToolMistake(text: string): string | undefined {
  const fields = fieldsIn(text);
  if (fields === undefined) return texts.playground.toolJsonMistake;
  const { name, parameters } = fields;
  if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name)) return texts.playground.toolNameMistake;
  const isSchema = parameters === undefined || (typeof parameters === "object" && parameters !== null);
  return isSchema ? undefined : texts.playground.toolParametersMistake;
}

/** A tool as it is sent; undefined where the text is none. */
export function toolIn(text: string): FunctionTool | undefined {
  return findToolMistake(text) === undefined ? (fieldsIn(text) as unknown as FunctionTool) : undefined;
}

/** A function may stand in OpenAI's envelope, as documentation writes it. */
function fieldsIn(text: string): Record<string, unknown> | undefined {
  const read = jsonObjectIn(text);
  return read?.type === "function" && typeof read.function === "object" && read.function !== null
    ? (read.function as Record<string, unknown>)
    : read;
}
