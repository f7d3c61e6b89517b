import { createHash } from "node:crypto";
import type { Tool } from "@trunkline/core/conversation.ts";
import { z } from "zod";
import {
  type Fields,
  invalidField,
  readBoolean,
  readList,
  readObject,
  readOptional,
  readString,
} from "../../requests/fields.ts";

export const TOOLS_MAX = 128;
const DESCRIPTION_LENGTH_MAX = 16_384;
const NAME_LENGTH_MAX = 64;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Where a format has the definition of a tool: beside its type, or in a field with the name of the type. */
export type DefinitionPlace = "beside" | "inside";

export const functionDefinition = z.object({
  name: z.string().regex(NAME),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish().describe("A JSON schema."),
  strict: z.boolean().nullish(),
});

export const customDefinition = z
  .object({
    name: z.string().regex(NAME),
    description: z.string().nullish(),
    format: z
      .looseObject({ type: z.string() })
      .nullish()
      .describe("Any text, or a grammar, which is described to the model."),
  })
  .describe("A tool whose input is a text. The model sees it as a function with one text.");

export const otherTool = z
  .looseObject({ type: z.string() })
  .describe("A tool that only its vendor runs. It is dropped, and listed in `x-trunkline-dropped`.");

/** Reads the tools of a body. Those that have no place here are dropped, by the name of their type. */
export function readToolList(value: unknown, param: string, place: DefinitionPlace, dropped: Set<string>): Tool[] {
  const read = (item: unknown, path: string, namespace: string | undefined): Tool[] => {
    const fields = readObject(item, path);
    const type = readString(fields.type, `${path}.type`, 1, 64);
    if (type === "namespace") {
      const name = readName(fields.name, `${path}.name`);
      return readList(fields.tools, `${path}.tools`, TOOLS_MAX, (inner, at) => read(inner, at, name)).flat();
    }
    if (type !== "function" && type !== "custom") {
      dropped.add(`tools.${type}`);
      return [];
    }
    const [definition, at] = place === "beside" ? [fields, path] : [fields[type], `${path}.${type}`];
    const tool = type === "function" ? readFunction(definition, at) : readCustomTool(definition, at);
    return [namespace === undefined ? tool : { ...tool, name: nameInNamespace(namespace, tool.name) }];
  };
  return readList(value, param, TOOLS_MAX, (item, path) => read(item, path, undefined)).flat();
}

/** The definition of a function: its name, description and parameters. */
export function readFunction(value: unknown, param: string): Tool {
  const { name, description, parameters, strict } = readObject(value, param);
  const isStrict = readOptional(strict, (given) => readBoolean(given, `${param}.strict`));
  return {
    name: readName(name, `${param}.name`),
    description: readDescription(description, `${param}.description`),
    // A function without parameters may leave the schema out.
    inputSchema: readOptional(parameters, (given) => readObject(given, `${param}.parameters`)) ?? {
      type: "object",
      properties: {},
    },
    ...(isStrict === undefined ? {} : { strict: isStrict }),
  };
}

/** A tool whose input is a text, as a function: every provider knows functions, and few know such tools. */
function readCustomTool(value: unknown, param: string): Tool {
  const { name, description, format } = readObject(value, param);
  return {
    name: readName(name, `${param}.name`),
    description: readDescription(description, `${param}.description`),
    inputSchema: {
      type: "object",
      properties: { input: { type: "string", description: describeFormat(format, `${param}.format`) } },
      required: ["input"],
      additionalProperties: false,
    },
  };
}

/** What the model is told of the format of a custom tool's input. */
function describeFormat(value: unknown, param: string): string {
  const format = readOptional(value, (given) => readObject(given, param)) ?? {};
  // Chats nest the grammar, responses do not.
  const grammar = readOptional(format.grammar, (given) => readObject(given, `${param}.grammar`)) ?? format;
  if (typeof grammar.definition !== "string") return "The input of the tool, as plain text.";
  const definition = readString(grammar.definition, `${param}.definition`, 0, DESCRIPTION_LENGTH_MAX);
  const syntax = grammar.syntax === "regex" ? "regular expression" : "grammar (Lark)";
  return `The input of the tool, as plain text. It must match this ${syntax}:\n${definition}`;
}

function readDescription(value: unknown, param: string): string {
  return readOptional(value, (given) => readString(given, param, 0, DESCRIPTION_LENGTH_MAX)) ?? "";
}

export function readName(value: unknown, param: string): string {
  const name = readString(value, param, 1, NAME_LENGTH_MAX);
  if (!NAME.test(name)) throw invalidField(param, `\`${param}\` may hold letters, digits, _ and - only.`);
  return name;
}

/** The name of a function for a tool in a namespace: providers know no namespaces, and bound the length of a name. */
export function nameInNamespace(namespace: string, name: string): string {
  const joined = `${namespace}__${name}`;
  if (joined.length <= NAME_LENGTH_MAX) return joined;
  const mark = createHash("sha256").update(joined).digest("hex").slice(0, 8);
  return `${joined.slice(0, NAME_LENGTH_MAX - mark.length - 1)}_${mark}`;
}

/** A tool as the client has defined it, which is not always a function with the name that the model was told. */
export interface ToolForm {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly isCustom: boolean;
}

/** The tools of a request that differ from what the model was told, by the name that it was told. */
export function toolFormsOf(requestBody: unknown, place: DefinitionPlace): ReadonlyMap<string, ToolForm> {
  const forms = new Map<string, ToolForm>();
  const add = (tools: unknown, namespace: string | undefined): void => {
    for (const tool of (Array.isArray(tools) ? tools : []) as readonly Fields[]) {
      if (tool.type === "namespace") add(tool.tools, String(tool.name));
      const isCustom = tool.type === "custom";
      if (!isCustom && (tool.type !== "function" || namespace === undefined)) continue;
      const definition = place === "beside" ? tool : (tool[isCustom ? "custom" : "function"] as Fields);
      const name = String(definition.name);
      forms.set(namespace === undefined ? name : nameInNamespace(namespace, name), { name, namespace, isCustom });
    }
  };
  add((requestBody as Fields | undefined)?.tools, undefined);
  return forms;
}

/** The arguments of a custom tool's function, for its input. */
export function toCustomArguments(input: string): string {
  return JSON.stringify({ input });
}

/** The input of a custom tool. A model may have given the text alone, or by another name. */
export function toCustomInput(callArguments: string): string {
  try {
    const given: unknown = JSON.parse(callArguments);
    if (typeof given === "string") return given;
    if (typeof given !== "object" || given === null) return callArguments;
    const { input } = given as Fields;
    if (typeof input === "string") return input;
    const [only, ...others] = Object.values(given);
    return typeof only === "string" && others.length === 0 ? only : callArguments;
  } catch {
    return callArguments;
  }
}
