import type { AnswerForm, Conversation, Tool } from "@trunkline/core/conversation.ts";
import {
  type Inference,
  normaliseTask,
  type Parameters,
  REASONING_EFFORTS,
  type Thinking,
} from "@trunkline/core/inference.ts";
import { z } from "zod";
import { Field, fieldTable, integerField, listField, numberField, stringField } from "../../requests/field-table.ts";
import {
  type Fields,
  invalidField,
  readChoice,
  readList,
  readObject,
  readOptional,
  readString,
} from "../../requests/fields.ts";
import { MAX_TOKENS_MAX } from "../../requests/read-inference.ts";
import { readRoutingOptions, routingFields } from "../../requests/read-routing-options.ts";
import { toInference } from "../../requests/to-inference.ts";
import { readModel } from "../shared-fields.ts";
import { contentsField, systemInstructionField } from "./contents.ts";
import { toCamelCase, toJsonSchema } from "./json-conventions.ts";

const TOOLS_MAX = 1_024;
const THINKING_BUDGET_MAX = 1_000_000;
const THINKING_LEVELS = ["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"] as const;
const FUNCTION_CALLING_MODES = ["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"] as const;

const jsonObject = z.record(z.string(), z.unknown());

/** Google's clients write objects in camel case or in snake case. */
function readCamelCaseObject(value: unknown, param: string): Fields {
  return toCamelCase(readObject(value, param));
}

/** A flag that counts only where it is `true`; other values are not refused. */
const lenientFlagField = new Field((value) => value === true, z.boolean().optional());
/** A JSON schema, which is read together with the other fields that can hold one. */
const schemaField = new Field((value) => value, jsonObject.optional());

const functionFields = {
  name: stringField(1, 256),
  description: stringField(0, 100_000).optional(),
  parameters: schemaField.describe("A schema in Google's own form."),
  parametersJsonSchema: schemaField,
};

const functionTable = fieldTable(functionFields);

/** The client's own functions. What only Google has, such as its search, is dropped. */
function readTools(value: unknown, toolsParam: string, dropped: Set<string>): Tool[] {
  const groups = readList(value, toolsParam, TOOLS_MAX, (item, param) => {
    const { functionDeclarations, ...others } = toCamelCase(readObject(item, param));
    for (const [name, tool] of Object.entries(others)) if (tool != null) dropped.add(`tools.${name}`);
    const path = `${param}.functionDeclarations`;
    return readOptional(functionDeclarations, (list) =>
      readList(list, path, TOOLS_MAX, (declared, at) => readFunction(declared, at, dropped)),
    );
  });
  return groups.flatMap((group) => group ?? []);
}

function readFunction(item: unknown, param: string, dropped: Set<string>): Tool {
  const fields = toCamelCase(readObject(item, param));
  for (const name of Object.keys(fields))
    if (!functionTable.names.has(name) && fields[name] != null) dropped.add(`tools.${name}`);
  const [schema, path] =
    fields.parametersJsonSchema == null
      ? [toJsonSchema(fields.parameters ?? { type: "object", properties: {} }), `${param}.parameters`]
      : [fields.parametersJsonSchema, `${param}.parametersJsonSchema`];
  return {
    name: functionFields.name.read(fields.name, `${param}.name`),
    description: functionFields.description.read(fields.description, `${param}.description`) ?? "",
    inputSchema: readObject(schema, path),
  };
}

/** Which functions may or must be called. Where only some may, the model gets only those. */
function readToolConfig(
  value: unknown,
  configParam: string,
  { tools, dropped }: { readonly tools: readonly Tool[]; readonly dropped: Set<string> },
): Pick<Conversation, "tools" | "toolChoice"> {
  const config = readOptional(value, (given) => readCamelCaseObject(given, configParam)) ?? {};
  for (const name of Object.keys(config)) if (name !== "functionCallingConfig") dropped.add(`${configParam}.${name}`);
  const param = `${configParam}.functionCallingConfig`;
  const calling = readOptional(config.functionCallingConfig, (given) => readCamelCaseObject(given, param));
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

function readThinkingLevel(value: unknown, param: string): (typeof THINKING_LEVELS)[number] {
  return readChoice(typeof value === "string" ? value.toUpperCase() : value, param, THINKING_LEVELS);
}

const thinkingConfig = fieldTable(
  {
    includeThoughts: lenientFlagField,
    // -1: the model decides.
    thinkingBudget: integerField(-1, THINKING_BUDGET_MAX).optional(),
    thinkingLevel: new Field(readThinkingLevel, z.string()).optional(),
  },
  "generationConfig.thinkingConfig",
);

const generationConfig = fieldTable(
  {
    temperature: numberField(0, 2).optional(),
    topP: numberField(0, 1).optional(),
    topK: numberField(0, 1_000_000).optional(),
    candidateCount: integerField(1, 8).optional(),
    maxOutputTokens: integerField(1, MAX_TOKENS_MAX).optional(),
    stopSequences: listField(64, stringField(1, 1_000)).optional(),
    seed: integerField(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).optional(),
    presencePenalty: numberField(-2, 2).optional(),
    frequencyPenalty: numberField(-2, 2).optional(),
    responseLogprobs: lenientFlagField,
    logprobs: integerField(0, 20).optional(),
    responseMimeType: stringField(1, 128).optional(),
    responseSchema: schemaField,
    responseJsonSchema: schemaField,
    thinkingConfig: new Field(readCamelCaseObject, thinkingConfig.schema).optional(),
  },
  "generationConfig",
);

const contentFields = {
  contents: contentsField,
  systemInstruction: systemInstructionField,
  tools: new Field(
    readTools,
    z.array(z.object({ functionDeclarations: z.array(functionTable.schema).optional() })),
  ).optional(),
  toolConfig: new Field(
    readToolConfig,
    z
      .object({
        functionCallingConfig: z
          .object({
            mode: z.enum(["AUTO", "ANY", "NONE", "VALIDATED"]).optional(),
            allowedFunctionNames: z.array(z.string()).optional(),
          })
          .optional(),
      })
      .optional(),
  ),
};

const generateContent = fieldTable({
  ...contentFields,
  generationConfig: new Field(readCamelCaseObject, generationConfig.schema).optional(),
  ...routingFields,
});

const { read } = generateContent;

export const generateContentRequestSchema = generateContent.schema;

const countTokensSchema = fieldTable(contentFields).schema;
export const countTokensRequestSchema = z.union([
  countTokensSchema,
  z.object({ generateContentRequest: countTokensSchema.catchall(z.unknown()) }),
]);

/** Fields that are not read and not reported as dropped either: the path names the model. */
const IGNORED_FIELDS = new Set(["model"]);
const IGNORED_CONFIG_FIELDS = new Set(["responseFormat"]);

/** A request of Google's clients to generate content. The path names the model. */
export function readGenerateContentRequest(body: unknown, modelName: string, streaming: boolean): Inference {
  const fields = readCamelCaseObject(body, "");
  const dropped = new Set<string>();
  for (const name in fields)
    if (!generateContent.names.has(name) && !IGNORED_FIELDS.has(name) && fields[name] != null) dropped.add(name);
  if (fields.cachedContent != null) {
    throw invalidField(
      "cachedContent",
      "`cachedContent` is known to Google alone. Send the contents themselves; providers find what they have in their caches.",
    );
  }
  const { model, strategy } = readModel(modelName);
  const routingOptions = readRoutingOptions(fields);
  const { parameters, answerForm } = readGenerationConfig(fields, dropped);
  const { messages, tools, toolChoice } = readConversation(fields, dropped);
  return toInference({
    task: CHAT,
    model,
    strategy,
    routingOptions,
    conversation: { messages, tools, toolChoice, parallelToolCalls: undefined, answerForm },
    parameters,
    streaming,
    extras: undefined,
    dropped: dropped.size === 0 ? NOTHING_DROPPED : [...dropped],
  });
}

const CHAT = normaliseTask("chat");
const NOTHING_DROPPED: readonly string[] = [];

/** The conversation whose tokens are counted: contents by themselves, or a whole request. */
export function readCountTokensRequest(body: unknown): Pick<Inference, "conversation"> {
  const fields = readCamelCaseObject(body, "");
  const whole = readOptional(fields.generateContentRequest, (value) =>
    readCamelCaseObject(value, "generateContentRequest"),
  );
  return { conversation: readConversation(whole ?? fields, new Set()) };
}

function readConversation(fields: Fields, dropped: Set<string>): Conversation {
  if (fields.contents == null) throw invalidField("contents", "`contents` is required.");
  const instruction = read.systemInstruction(fields, dropped) ?? [];
  const messages = read.contents(fields, dropped);
  return {
    messages: [...(instruction.length === 0 ? [] : [{ role: "system", content: instruction } as const]), ...messages],
    ...read.toolConfig(fields, { tools: read.tools(fields, dropped) ?? [], dropped }),
  };
}

interface GenerationSettings {
  readonly parameters: Parameters;
  readonly answerForm: AnswerForm | undefined;
}

function readGenerationConfig(body: Fields, dropped: Set<string>): GenerationSettings {
  const fields = read.generationConfig(body) ?? {};
  for (const name of Object.keys(fields)) {
    const isKnown = generationConfig.names.has(name) || IGNORED_CONFIG_FIELDS.has(name);
    if (!isKnown && fields[name] != null && !isDefaultValue(name, fields[name]))
      dropped.add(`generationConfig.${name}`);
  }
  const thinking = readThinking(fields);
  const { read: readConfig } = generationConfig;
  const topK = readConfig.topK(fields);
  const choices = readConfig.candidateCount(fields);
  return {
    parameters: {
      maxTokens: readConfig.maxOutputTokens(fields),
      temperature: readConfig.temperature(fields),
      size: undefined,
      voice: undefined,
      format: undefined,
      topP: readConfig.topP(fields),
      topK: topK === undefined || topK < 1 ? undefined : Math.round(topK),
      stop: readConfig.stopSequences(fields),
      seed: readConfig.seed(fields),
      frequencyPenalty: readConfig.frequencyPenalty(fields),
      presencePenalty: readConfig.presencePenalty(fields),
      choices: choices === 1 ? undefined : choices,
      logprobs: readConfig.responseLogprobs(fields) ? (readConfig.logprobs(fields) ?? 0) : undefined,
      thinking,
      dimensions: undefined,
      pace: undefined,
      others: {},
    },
    answerForm: readResponseFormat(fields),
  };
}

/** Text is what a request gets without this field. */
function isDefaultValue(name: string, value: unknown): boolean {
  return name === "responseModalities" && Array.isArray(value) && value.join().toUpperCase() === "TEXT";
}

function readThinking(fields: Fields): Thinking | undefined {
  const config = generationConfig.read.thinkingConfig(fields);
  if (config === undefined) return undefined;
  const budget = thinkingConfig.read.thinkingBudget(config);
  const level = thinkingConfig.read.thinkingLevel(config);
  const effort = REASONING_EFFORTS.find((known) => known === level?.toLowerCase());
  const thinking = {
    ...(effort === undefined ? {} : { effort }),
    ...(budget === undefined || budget < 0 ? {} : { budgetTokens: budget }),
  };
  return Object.keys(thinking).length > 0 || thinkingConfig.read.includeThoughts(config) ? thinking : undefined;
}

function readResponseFormat(fields: Fields): AnswerForm | undefined {
  const mimeType = generationConfig.read.responseMimeType(fields);
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
