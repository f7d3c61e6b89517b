import type {
  AnswerForm,
  CacheBreakpoint,
  Content,
  Conversation,
  Message,
  Tool,
  ToolChoice,
} from "@trunkline/core/conversation.ts";
import {
  type Extras,
  type Inference,
  normaliseTask,
  type Parameters,
  REASONING_EFFORTS,
  type Thinking,
} from "@trunkline/core/inference.ts";
import { z } from "zod";
import type { RequestMetadata } from "../../endpoints/endpoint.ts";
import {
  booleanField,
  choiceField,
  Field,
  fieldTable,
  integerField,
  listField,
  numberField,
  objectField,
  stringField,
} from "../../requests/field-table.ts";
import {
  type Fields,
  invalidField,
  readChoice,
  readInteger,
  readList,
  readObject,
  readString,
} from "../../requests/fields.ts";
import { MAX_TOKENS_MAX } from "../../requests/read-inference.ts";
import { readRoutingOptions, routingFields } from "../../requests/read-routing-options.ts";
import { toInference } from "../../requests/to-inference.ts";
import { ITEMS_MAX } from "../limits.ts";
import { AUTO_MODEL_NAMES, modelField } from "../shared-fields.ts";
import { cacheControlField, contentField, type ReadingState, readCacheControl, textBlocksField } from "./content.ts";

const TOOLS_MAX = 1_024;
const THINKING_BUDGET_MAX = 1_000_000;

function readMessages(value: unknown, param: string, readingState: ReadingState): Message[] {
  const list = requireValue(value, param);
  const messages = readList(list, param, ITEMS_MAX, (item, path) => readMessage(item, path, readingState)).flat();
  if (messages.length === 0) throw invalidField(param, `\`${param}\` must hold at least one message.`);
  return messages;
}

/** Tool results stand beside a user's text in this format, and in messages of their own in ours. */
function readMessage(item: unknown, param: string, readingState: ReadingState): Message[] {
  const fields = readObject(item, param);
  const role = readChoice(fields.role, `${param}.role`, ["user", "assistant", "system"]);
  const path = `${param}.content`;
  if (fields.content === undefined || fields.content === null) throw invalidField(path, `\`${path}\` is required.`);
  const content =
    role === "system"
      ? textBlocksField.read(fields.content, path)
      : contentField.read(fields.content, path, readingState);
  const messages: { role: Message["role"]; content: Content[] }[] = [];
  for (const piece of content) {
    const of = piece.type === "tool-result" ? "tool" : role;
    const last = messages.at(-1);
    if (last?.role === of) last.content.push(piece);
    else messages.push({ role: of, content: [piece] });
  }
  return messages;
}

function readOutputFormat(value: unknown, param: string): AnswerForm {
  const format = readObject(value, param);
  readChoice(format.type, `${param}.type`, ["json_schema"]);
  return {
    type: "schema",
    name: "answer",
    schema: readObject(format.schema, `${param}.schema`),
    strict: true,
  };
}

const outputFormatField = new Field(
  readOutputFormat,
  z.object({ type: z.literal("json_schema"), schema: z.record(z.string(), z.unknown()) }),
).nullish();

const outputConfig = fieldTable(
  {
    effort: choiceField(["low", "medium", "high", "xhigh", "max"]).nullish(),
    format: outputFormatField,
  },
  "output_config",
);

const budgetField = integerField(1, THINKING_BUDGET_MAX);

const thinkingConfig = fieldTable(
  {
    type: choiceField(["enabled", "disabled", "adaptive", "between_tools"]),
    // Read only with `enabled`, which needs it.
    budget_tokens: new Field(budgetField.read, budgetField.schema.optional()),
    // Accepted and reported as dropped.
    display: new Field((value) => value != null, z.enum(["summarized", "omitted"]).nullish()),
  },
  "thinking",
);

const metadata = fieldTable({ user_id: stringField(1, 512).nullish() }, "metadata");

/** The fields of a tool of the client's own. */
const toolFields = {
  // Any other type is a tool that Anthropic runs.
  type: new Field((value) => value, z.literal("custom").nullish()),
  name: stringField(1, 256),
  description: stringField(0, 100_000).optional(),
  input_schema: new Field(readObject, z.record(z.string(), z.unknown())),
  strict: new Field((value) => value === true, z.boolean().optional()),
  cache_control: cacheControlField,
};

const toolTable = fieldTable(toolFields);

/** The client's own tools. Tools that only Anthropic has are dropped. */
function readTools(value: unknown, param: string, dropped: Set<string>): Tool[] {
  return readList(value, param, TOOLS_MAX, (item, path) => readTool(item, path, dropped)).flat();
}

function readTool(item: unknown, param: string, dropped: Set<string>): Tool[] {
  const fields = readObject(item, param);
  if (typeof fields.type === "string" && fields.type !== "custom") {
    dropped.add(`tools.${fields.type}`);
    return [];
  }
  for (const name of Object.keys(fields)) if (!toolTable.names.has(name)) dropped.add(`tools.${name}`);
  return [
    {
      name: toolFields.name.read(fields.name, `${param}.name`),
      description: toolFields.description.read(fields.description, `${param}.description`) ?? "",
      inputSchema: toolFields.input_schema.read(fields.input_schema, `${param}.input_schema`),
      ...(fields.strict === true ? { strict: true } : {}),
      ...readCacheControl(fields, param),
    },
  ];
}

interface ToolChoiceFields {
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
}

/** Which tools may or must be called. A request for a tool that can't be called is refused. */
function readToolChoice(value: unknown, param: string, tools: readonly Tool[]): ToolChoiceFields {
  const fields = readObject(value, param);
  const parallel = fields.disable_parallel_tool_use === true ? { parallelToolCalls: false } : {};
  const toolChoice = toToolChoice(fields, tools);
  return tools.length === 0 ? {} : { toolChoice, ...parallel };
}

function toToolChoice(fields: Fields, tools: readonly Tool[]): ToolChoice {
  const type = readChoice(fields.type, "tool_choice.type", ["auto", "any", "tool", "none"]);
  if (type === "auto" || type === "none") return type;
  if (type === "any") {
    if (tools.length === 0)
      throw invalidField("tool_choice", "`tool_choice` asks for a tool, but `tools` has none that can be called.");
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

const conversationFields = {
  model: modelField.describe(`A name from the list of models, provider/name, or ${AUTO_MODEL_NAMES.join(", ")}.`),
  messages: new Field(
    readMessages,
    z.array(z.object({ role: z.enum(["user", "assistant", "system"]), content: contentField.schema })).min(1),
  ),
  system: textBlocksField.optional(),
  tools: new Field(readTools, z.array(toolTable.schema)).optional(),
  tool_choice: new Field(
    readToolChoice,
    z.object({
      type: z.enum(["auto", "any", "tool", "none"]),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().optional(),
    }),
  ).optional(),
  thinking: objectField(thinkingConfig).optional(),
  output_config: objectField(outputConfig).optional(),
  output_format: outputFormatField.describe("The old name of `output_config.format`."),
  cache_control: cacheControlField,
};

const messagesBody = fieldTable({
  ...conversationFields,
  max_tokens: new Field(
    (value, param) => readInteger(requireValue(value, param), param, 1, MAX_TOKENS_MAX),
    z.int().min(1).max(MAX_TOKENS_MAX),
  ),
  temperature: numberField(0, 2).optional(),
  top_p: numberField(0, 1).optional(),
  top_k: integerField(0, 1_000_000).optional(),
  stop_sequences: listField(1_000, stringField(1, 1_000)).optional(),
  stream: booleanField().optional(),
  metadata: objectField(metadata).optional(),
  ...routingFields,
});

const { read } = messagesBody;

export const messagesRequestSchema = messagesBody.schema;
export const countTokensRequestSchema = fieldTable(conversationFields).schema;

function requireValue(value: unknown, param: string): unknown {
  if (value === undefined || value === null) throw invalidField(param, `\`${param}\` is required.`);
  return value;
}

/** A request of Anthropic's clients for one message. */
export function readMessagesRequest(body: unknown, { headers }: Pick<RequestMetadata, "headers">): Inference {
  const fields = readObject(body, "");
  const dropped = new Set<string>();
  for (const name in fields) if (!messagesBody.names.has(name) && fields[name] != null) dropped.add(name);
  return readInferenceFields(fields, headers, dropped, read.max_tokens(fields));
}

/** The same without a limit on the answer, which a count of the question's tokens does not need. */
export function readCountTokensRequest(body: unknown): Inference {
  return readInferenceFields(readObject(body, ""), {}, new Set(), undefined);
}

function readInferenceFields(
  fields: Fields,
  headers: RequestMetadata["headers"],
  dropped: Set<string>,
  maxTokens: number | undefined,
): Inference {
  const { model, strategy } = read.model(fields);
  const routingOptions = readRoutingOptions(fields);
  const thinking = readThinking(fields, dropped);
  const userId = metadata.read.user_id(read.metadata(fields) ?? {});
  const betas = readBetas(headers);
  return toInference({
    task: CHAT,
    model,
    strategy,
    routingOptions,
    conversation: readConversation(fields, dropped),
    parameters: readParameters(fields, maxTokens, thinking),
    streaming: read.stream(fields) ?? false,
    extras: toExtras(userId, betas),
    // Complete only now: reading the other fields adds to it.
    dropped: dropped.size === 0 ? NOTHING_DROPPED : [...dropped],
  });
}

const CHAT = normaliseTask("chat");
const NOTHING_DROPPED: readonly string[] = [];

/** What only a provider of this format understands. */
function toExtras(userId: string | undefined, betas: readonly string[] | undefined): Extras | undefined {
  if (userId === undefined && betas === undefined) return undefined;
  return {
    wire: "anthropic",
    fields: {
      ...(userId === undefined ? {} : { metadata: { user_id: userId } }),
      ...(betas === undefined ? {} : { "anthropic-beta": betas }),
    },
  };
}

function readConversation(fields: Fields, dropped: Set<string>): Conversation {
  const readingState: ReadingState = { dropped, toolNames: new Map() };
  const system = read.system(fields) ?? [];
  const messages = read.messages(fields, readingState);
  const tools = read.tools(fields, dropped) ?? [];
  const answerForm = outputConfig.read.format(read.output_config(fields) ?? {}) ?? read.output_format(fields);
  const cache = read.cache_control(fields);
  const choice = read.tool_choice(fields, tools);
  const marked = cache === undefined ? messages : withCacheMarkOnLast(messages, cache);
  return {
    messages: system.length === 0 ? marked : [{ role: "system", content: system }, ...marked],
    tools,
    toolChoice: choice?.toolChoice,
    parallelToolCalls: choice?.parallelToolCalls,
    answerForm,
  };
}

/** A cache mark on the request counts for its last piece of content that can have one. */
function withCacheMarkOnLast(messages: readonly Message[], cache: CacheBreakpoint): Message[] {
  const last = messages.at(-1);
  const place = last?.content.findLastIndex(({ type }) => type !== "thinking") ?? -1;
  if (last === undefined || place === -1) return [...messages];
  const content = last.content.map((piece, index) =>
    index === place && piece.type !== "thinking" ? { ...piece, cache } : piece,
  );
  return [...messages.slice(0, -1), { ...last, content }];
}

function readParameters(fields: Fields, maxTokens: number | undefined, thinking: Thinking | undefined): Parameters {
  return {
    maxTokens,
    temperature: read.temperature(fields),
    size: undefined,
    voice: undefined,
    format: undefined,
    topP: read.top_p(fields),
    topK: read.top_k(fields),
    stop: read.stop_sequences(fields),
    seed: undefined,
    frequencyPenalty: undefined,
    presencePenalty: undefined,
    choices: undefined,
    logprobs: undefined,
    thinking,
    dimensions: undefined,
    pace: undefined,
    others: {},
  };
}

/** Beta features by name. The adapter that calls a provider of this format knows which of them may be passed on. */
function readBetas({ "anthropic-beta": header }: RequestMetadata["headers"]): string[] | undefined {
  if (header === undefined) return undefined;
  const named = (Array.isArray(header) ? header.join(",") : header).split(",").map((name) => name.trim());
  const betas = named.filter((name) => name !== "");
  return betas.length === 0 ? undefined : betas;
}

/** The effort of Anthropic's models where the request sets none. */
const DEFAULT_EFFORT = "high";
/** The highest effort that our own request has. */
const HIGHEST_EFFORT = "xhigh";

/** How much a model should think. What our own request can't express is dropped. */
function readThinking(body: Fields, dropped: Set<string>): Thinking | undefined {
  const given = read.thinking(body);
  const effort = readEffort(body, dropped);
  if (given === undefined) return effort === undefined ? undefined : { effort };
  if (thinkingConfig.read.display(given)) dropped.add("thinking.display");
  const type = thinkingConfig.read.type(given);
  switch (type) {
    case "enabled": {
      const budgetTokens = thinkingConfig.read.budget_tokens(given);
      return effort === undefined ? { budgetTokens } : { effort, budgetTokens };
    }
    case "disabled":
      return { budgetTokens: 0 };
    case "between_tools":
      dropped.add("thinking.type");
      return { effort: effort ?? DEFAULT_EFFORT };
    case "adaptive":
      return { effort: effort ?? DEFAULT_EFFORT };
  }
}

function readEffort(body: Fields, dropped: Set<string>): Thinking["effort"] {
  const given = outputConfig.read.effort(read.output_config(body) ?? {});
  if (given === undefined) return undefined;
  const known = REASONING_EFFORTS.find((effort) => effort === given);
  if (known === undefined) dropped.add("output_config.effort");
  return known ?? HIGHEST_EFFORT;
}
