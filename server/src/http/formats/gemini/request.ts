import type { AnswerForm, Conversation, Tool } from "@trunkline/core/conversation.ts";
import {
  type Inference,
  normaliseTask,
  type Parameters,
  REASONING_EFFORTS,
  type Thinking,
} from "@trunkline/core/inference.ts";
import {
  type Fields,
  invalidField,
  readChoice,
  readInteger,
  readList,
  readNumber,
  readObject,
  readOptional,
  readString,
} from "../../requests/fields.ts";
import { readRoutingOptions } from "../../requests/read-routing-options.ts";
import { ROUTING_FIELDS, readModel } from "../shared-fields.ts";
import { readContents, readSystemInstruction } from "./contents.ts";
import { toCamelCase, toJsonSchema } from "./json-conventions.ts";

const KNOWN_FIELDS = new Set<string>([
  ...ROUTING_FIELDS,
  "model",
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "generationConfig",
  "cachedContent",
  "session",
  "continue",
]);

/** Contents to be generated, as Google's clients ask for them. The model stands in the address. */
export function readGenerateContentRequest(body: unknown, modelName: string, streaming: boolean): Inference {
  const fields = toCamelCase(readObject(body, ""));
  const dropped = new Set(Object.keys(fields).filter((name) => !KNOWN_FIELDS.has(name) && fields[name] != null));
  if (fields.cachedContent != null) {
    throw invalidField(
      "cachedContent",
      "`cachedContent` is known to Google alone. Send the contents themselves; providers find what they have in their caches.",
    );
  }
  const { model, strategy } = readModel(modelName);
  const routingOptions = readRoutingOptions(fields);
  const { parameters, answerForm } = readGenerationConfig(fields.generationConfig, dropped);
  const conversation = readConversation(fields, dropped);
  return {
    task: normaliseTask("chat"),
    model,
    ...routingOptions,
    strategy: strategy ?? routingOptions.strategy,
    conversation: { ...conversation, ...(answerForm === undefined ? {} : { answerForm }) },
    parameters,
    streaming,
    dropped: [...dropped],
  };
}

/** What a count of tokens is asked for: contents by themselves, or a whole request. */
export function readCountTokensRequest(body: unknown): Pick<Inference, "conversation"> {
  const fields = toCamelCase(readObject(body, ""));
  const whole = readOptional(fields.generateContentRequest, (value) =>
    toCamelCase(readObject(value, "generateContentRequest")),
  );
  return { conversation: readConversation(whole ?? fields, new Set()) };
}

function readConversation(fields: Fields, dropped: Set<string>): Conversation {
  if (fields.contents == null) throw invalidField("contents", "`contents` is required.");
  const instruction = readOptional(fields.systemInstruction, (value) => readSystemInstruction(value, dropped)) ?? [];
  const messages = readContents(fields.contents, dropped);
  if (messages.length === 0) throw invalidField("contents", "`contents` must hold at least one part.");
  return {
    messages: [...(instruction.length === 0 ? [] : [{ role: "system", content: instruction } as const]), ...messages],
    ...readToolConfig(fields.toolConfig, readTools(fields.tools, dropped), dropped),
  };
}

const KNOWN_CONFIG_FIELDS = new Set([
  "temperature",
  "topP",
  "topK",
  "candidateCount",
  "maxOutputTokens",
  "stopSequences",
  "responseLogprobs",
  "logprobs",
  "presencePenalty",
  "frequencyPenalty",
  "seed",
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "responseFormat",
  "thinkingConfig",
]);
const THINKING_LEVELS = ["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"] as const;

interface GenerationSettings {
  readonly parameters: Parameters;
  readonly answerForm: AnswerForm | undefined;
}

/** How an answer is to be made, in Google's words. */
function readGenerationConfig(value: unknown, dropped: Set<string>): GenerationSettings {
  const fields = readOptional(value, (given) => toCamelCase(readObject(given, "generationConfig"))) ?? {};
  for (const name of Object.keys(fields)) {
    if (!KNOWN_CONFIG_FIELDS.has(name) && fields[name] != null && !isDefaultValue(name, fields[name]))
      dropped.add(`generationConfig.${name}`);
  }
  const thinking = readThinking(fields);
  const number = (name: string, min: number, max: number) =>
    readOptional(fields[name], (given) => readNumber(given, `generationConfig.${name}`, min, max));
  const integer = (name: string, min: number, max: number) =>
    readOptional(fields[name], (given) => readInteger(given, `generationConfig.${name}`, min, max));
  const topK = number("topK", 0, 1_000_000);
  const choices = integer("candidateCount", 1, 8);
  return {
    parameters: {
      maxTokens: integer("maxOutputTokens", 1, 1_000_000),
      temperature: number("temperature", 0, 2),
      size: undefined,
      voice: undefined,
      format: undefined,
      topP: number("topP", 0, 1),
      topK: topK === undefined || topK < 1 ? undefined : Math.round(topK),
      stop: readOptional(fields.stopSequences, (given) =>
        readList(given, "generationConfig.stopSequences", 64, (item, param) => readString(item, param, 1, 1_000)),
      ),
      seed: integer("seed", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      frequencyPenalty: number("frequencyPenalty", -2, 2),
      presencePenalty: number("presencePenalty", -2, 2),
      choices: choices === 1 ? undefined : choices,
      logprobs: fields.responseLogprobs === true ? (integer("logprobs", 0, 20) ?? 0) : undefined,
      ...(thinking === undefined ? {} : { thinking }),
      others: {},
    },
    answerForm: readResponseFormat(fields),
  };
}

/** Asking for words alone asks for nothing. */
function isDefaultValue(name: string, value: unknown): boolean {
  return name === "responseModalities" && Array.isArray(value) && value.join().toUpperCase() === "TEXT";
}

function readThinking(fields: Fields): Thinking | undefined {
  const param = "generationConfig.thinkingConfig";
  const config = readOptional(fields.thinkingConfig, (given) => toCamelCase(readObject(given, param)));
  if (config === undefined) return undefined;
  // -1: the model decides.
  const budget = readOptional(config.thinkingBudget, (given) =>
    readInteger(given, `${param}.thinkingBudget`, -1, 1_000_000),
  );
  const level = readOptional(config.thinkingLevel, (given) =>
    readChoice(typeof given === "string" ? given.toUpperCase() : given, `${param}.thinkingLevel`, THINKING_LEVELS),
  );
  const effort = REASONING_EFFORTS.find((known) => known === level?.toLowerCase());
  const asked = {
    ...(effort === undefined ? {} : { effort }),
    ...(budget === undefined || budget < 0 ? {} : { budgetTokens: budget }),
  };
  return Object.keys(asked).length > 0 || config.includeThoughts === true ? asked : undefined;
}

function readResponseFormat(fields: Fields): AnswerForm | undefined {
  const mimeType = readOptional(fields.responseMimeType, (given) =>
    readString(given, "generationConfig.responseMimeType", 1, 128),
  );
  const [schema, param] =
    fields.responseJsonSchema == null
      ? [toJsonSchema(fields.responseSchema), "generationConfig.responseSchema"]
      : [fields.responseJsonSchema, "generationConfig.responseJsonSchema"];
  if (schema != null) return { type: "schema", name: "answer", schema: readObject(schema, param), strict: true };
  if (mimeType === undefined || mimeType === "text/plain") return undefined;
  if (mimeType === "application/json") return { type: "json" };
  throw invalidField(
    "generationConfig.responseMimeType",
    "`generationConfig.responseMimeType` must be text/plain or application/json.",
  );
}

const TOOLS_MAX = 1_024;
const KNOWN_FUNCTION_FIELDS = new Set(["name", "description", "parameters", "parametersJsonSchema"]);

/** The client's own functions. What only Google has, such as its search, is dropped and named among what was. */
function readTools(value: unknown, dropped: Set<string>): Tool[] {
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
    description: readOptional(fields.description, (text) => readString(text, `${param}.description`, 0, 100_000)) ?? "",
    inputSchema: readObject(schema, path),
  };
}

const FUNCTION_CALLING_MODES = ["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"] as const;

/** Which functions may or must be called. Where only some may, only those are told of. */
function readToolConfig(
  value: unknown,
  tools: readonly Tool[],
  dropped: Set<string>,
): Pick<Conversation, "tools" | "toolChoice"> {
  const config = readOptional(value, (given) => toCamelCase(readObject(given, "toolConfig"))) ?? {};
  for (const name of Object.keys(config)) if (name !== "functionCallingConfig") dropped.add(`toolConfig.${name}`);
  const param = "toolConfig.functionCallingConfig";
  const calling = readOptional(config.functionCallingConfig, (given) => toCamelCase(readObject(given, param)));
  const mode = readOptional(calling?.mode, (given) =>
    readChoice(typeof given === "string" ? given.toUpperCase() : given, `${param}.mode`, FUNCTION_CALLING_MODES),
  );
  const allowed = readOptional(calling?.allowedFunctionNames, (given) =>
    readList(given, `${param}.allowedFunctionNames`, TOOLS_MAX, (name, at) => readString(name, at, 1, 256)),
  );
  const usable = allowed === undefined ? tools : tools.filter(({ name }) => allowed.includes(name));
  if (mode === "ANY" && usable.length === 0)
    throw invalidField(param, `\`${param}\` asks for a call, but \`tools\` has no function that may be called.`);
  if (mode === "VALIDATED") dropped.add(`${param}.mode`);
  if (mode === undefined || mode === "MODE_UNSPECIFIED" || tools.length === 0) return { tools };
  if (mode === "NONE") return { tools, toolChoice: "none" };
  const [only, ...others] = usable;
  if (mode === "ANY" && only !== undefined)
    return others.length === 0 ? { tools, toolChoice: { name: only.name } } : { tools: usable, toolChoice: "required" };
  return { tools: mode === "VALIDATED" ? usable : tools, toolChoice: "auto" };
}
