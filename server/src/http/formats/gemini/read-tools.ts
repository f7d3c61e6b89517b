import type { Conversation, Tool } from "@trunkline/core/conversation.ts";
import {
  invalidField,
  readChoice,
  readList,
  readObject,
  readOptional,
  readString,
} from "../../requests/fields.ts";
import { toJsonSchema } from "./json-schema.ts";
import { toCamelCase } from "./to-camel.ts";

const TOOLS_MAX = 1_024;
const KNOWN_FUNCTION_FIELDS = new Set(["name", "description", "parameters", "parametersJsonSchema"]);

/** The client's own functions. What only Google has, such as its search, is dropped and named among what was. */
export function readTools(value: unknown, dropped: Set<string>): Tool[] {
  const groups = readOptional(value, (given) =>
    readList(given, "tools", TOOLS_MAX, (item, param) => {
      const { functionDeclarations, ...others } = toCamelCase(readObject(item, param));
      for (const [name, tool] of Object.entries(others)) if (tool != null) dropped.add(`tools.${name}`);
      const path = `${param}.functionDeclarations`;
      return readOptional(functionDeclarations, (list) =>
        readList(list, path, TOOLS_MAX, (declared, at) => readFunction(declared, at, dropped)),
      );
    }),
  );
  return (groups ?? []).flatMap((group) => group ?? []);
}

function readFunction(item: unknown, param: string, dropped: Set<string>): Tool {
  const fields = toCamelCase(readObject(item, param));
  for (const name of Object.keys(fields))
    if (!KNOWN_FUNCTION_FIELDS.has(name) && fields[name] != null) dropped.add(`tools.${name}`);
  const [schema, path] =
    fields.parametersJsonSchema == null
      ? [toJsonSchema(fields.parameters ?? { type: "object", properties: {} }), `${param}.parameters`]
      : [fields.parametersJsonSchema, `${param}.parametersJsonSchema`];
  return {
    name: readString(fields.name, `${param}.name`, 1, 256),
    description:
      readOptional(fields.description, (text) => readString(text, `${param}.description`, 0, 100_000)) ?? "",
    inputSchema: readObject(schema, path),
  };
}

const FUNCTION_CALLING_MODES = ["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"] as const;

/** Which functions may or must be called. Where only some may, only those are told of. */
export function readToolConfig(
  value: unknown,
  tools: readonly Tool[],
  dropped: Set<string>,
): Pick<Conversation, "tools" | "toolChoice"> {
  const config = readOptional(value, (given) => toCamelCase(readObject(given, "toolConfig"))) ?? {};
  for (const name of Object.keys(config))
    if (name !== "functionCallingConfig") dropped.add(`toolConfig.${name}`);
  const param = "toolConfig.functionCallingConfig";
  const calling = readOptional(config.functionCallingConfig, (given) =>
    toCamelCase(readObject(given, param)),
  );
  const mode = readOptional(calling?.mode, (given) =>
    readChoice(
      typeof given === "string" ? given.toUpperCase() : given,
      `${param}.mode`,
      FUNCTION_CALLING_MODES,
    ),
  );
  const allowed = readOptional(calling?.allowedFunctionNames, (given) =>
    readList(given, `${param}.allowedFunctionNames`, TOOLS_MAX, (name, at) => readString(name, at, 1, 256)),
  );
  const usable = allowed === undefined ? tools : tools.filter(({ name }) => allowed.includes(name));
  if (mode === "ANY" && usable.length === 0)
    throw invalidField(
      param,
      `\`${param}\` asks for a call, but \`tools\` has no function that may be called.`,
    );
  if (mode === "VALIDATED") dropped.add(`${param}.mode`);
  if (mode === undefined || mode === "MODE_UNSPECIFIED" || tools.length === 0) return { tools };
  if (mode === "NONE") return { tools, toolChoice: "none" };
  const [only, ...others] = usable;
  if (mode === "ANY" && only !== undefined)
    return others.length === 0
      ? { tools, toolChoice: { name: only.name } }
      : { tools: usable, toolChoice: "required" };
  return { tools: mode === "VALIDATED" ? usable : tools, toolChoice: "auto" };
}
