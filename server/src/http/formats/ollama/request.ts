import type { AnswerForm, Attachment, Content, Conversation, Message, Tool } from "@trunkline/core/conversation.ts";
import { conversationOfTexts } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask, type Parameters, type Thinking } from "@trunkline/core/inference.ts";
import { z } from "zod";
import {
  booleanField,
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
  readList,
  readObject,
  readOptional,
  readString,
} from "../../requests/fields.ts";
import { DIMENSIONS_MAX, MAX_TOKENS_MAX, textsField } from "../../requests/read-inference.ts";
import { readRoutingOptions, routingFields } from "../../requests/read-routing-options.ts";
import { toInference } from "../../requests/to-inference.ts";
import { checkSaysSomething } from "../check-conversation.ts";
import { ITEMS_MAX, TEXT_LENGTH_MAX } from "../limits.ts";
import { functionDefinition, readFunction, TOOLS_MAX } from "../openai/tool-forms.ts";
import { EMPTY_PARAMETERS, modelField } from "../shared-fields.ts";
import { ToolCallIds } from "../tool-call-ids.ts";

const CALLS_MAX = 128;

const stopWord = stringField(1, 256);
const readStop = (value: unknown, param: string): readonly string[] | undefined => {
  const words = typeof value === "string" ? [stopWord.read(value, param)] : readList(value, param, 4, stopWord.read);
  return words.length === 0 ? undefined : words;
};

const options = fieldTable(
  {
    temperature: numberField(0, 2).optional(),
    num_predict: integerField(-2, MAX_TOKENS_MAX).optional().describe("The most tokens to give; below 1: no limit."),
    top_k: integerField(0, 1_000_000).optional(),
    top_p: numberField(0, 1).optional(),
    seed: integerField(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).optional(),
    stop: new Field(readStop, z.union([stopWord.schema, z.array(stopWord.schema).max(4)])).optional(),
    presence_penalty: numberField(-2, 2).optional(),
    frequency_penalty: numberField(-2, 2).optional(),
  },
  "options",
);

function readFormat(value: unknown, param: string): AnswerForm | undefined {
  if (value === "") return undefined;
  if (value === "json") return { type: "json" };
  if (typeof value === "string") throw invalidField(param, `\`${param}\` must be "json" or a JSON schema.`);
  return { type: "schema", name: "answer", schema: readObject(value, param) };
}

const EFFORTS = ["low", "medium", "high"] as const;

/** Only what asks for thoughts is sent on: a model that has none could refuse the rest. */
function readThink(value: unknown, param: string): Thinking | undefined {
  if (typeof value === "boolean") return value ? { effort: "medium" } : undefined;
  return { effort: readChoice(value, param, EFFORTS) };
}

function readImage(value: unknown, param: string): Attachment {
  const data = readString(value, param, 1, TEXT_LENGTH_MAX).replace(/^data:[^,]*,/, "");
  if (!/^[A-Za-z0-9+/]+=*$/.test(data.slice(0, 64)))
    throw invalidField(param, `\`${param}\` must be an image in base64.`);
  return { type: "attachment", kind: "image", url: `data:${imageTypeOf(data)};base64,${data}` };
}

/** The media type by how the bytes begin. */
function imageTypeOf(base64: string): string {
  if (base64.startsWith("/9j/")) return "image/jpeg";
  if (base64.startsWith("UklGR")) return "image/webp";
  return base64.startsWith("R0lGO") ? "image/gif" : "image/png";
}

const imagesField = listField(ITEMS_MAX, new Field(readImage, z.string())).nullish();

function readMessages(value: unknown, param: string): Message[] {
  const ids = new ToolCallIds();
  return readList(value, param, ITEMS_MAX, (item, at) => {
    const fields = readObject(item, at);
    const role = readChoice(fields.role, `${at}.role`, ["system", "user", "assistant", "tool"]);
    const text = readOptional(fields.content, (given) => readString(given, `${at}.content`, 0, TEXT_LENGTH_MAX)) ?? "";
    const images = imagesField.read(fields.images, `${at}.images`) ?? [];
    if (role === "tool") return toToolMessage(fields, at, text, ids);
    const words: Content[] = text === "" ? [] : [{ type: "text", text }];
    if (role !== "assistant") return { role, content: [...words, ...images] };
    const thoughts = readOptional(fields.thinking, (given) => readString(given, `${at}.thinking`, 0, TEXT_LENGTH_MAX));
    const calls = readOptional(fields.tool_calls, (given) => readCalls(given, `${at}.tool_calls`, ids)) ?? [];
    const thinking: Content[] = thoughts === undefined || thoughts === "" ? [] : [{ type: "thinking", text: thoughts }];
    return { role, content: [...thinking, ...words, ...calls] };
  });
}

function readCalls(value: unknown, param: string, ids: ToolCallIds): Content[] {
  return readList(value, param, CALLS_MAX, (item, at) => {
    const call = readObject(item, at);
    const { name: givenName, arguments: given } = readObject(call.function, `${at}.function`);
    const name = readString(givenName, `${at}.function.name`, 1, 256);
    const id = readOptional(call.id, (value_) => readString(value_, `${at}.id`, 0, 256)) || undefined;
    const args = JSON.stringify(readObject(given ?? {}, `${at}.function.arguments`));
    return { type: "tool-call", id: ids.register(id, name), name, arguments: args };
  });
}

/** A result names its tool, or the call that it answers. */
function toToolMessage(fields: Fields, at: string, text: string, ids: ToolCallIds): Message {
  const name = readOptional(fields.tool_name, (given) => readString(given, `${at}.tool_name`, 0, 256)) ?? "";
  const id = readOptional(fields.tool_call_id, (given) => readString(given, `${at}.tool_call_id`, 0, 256)) || undefined;
  return {
    role: "tool",
    content: [{ type: "tool-result", id: ids.resolve(id, name), text, ...(name === "" ? {} : { name }) }],
  };
}

const messageSchema = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.string().nullish(),
  thinking: z.string().nullish(),
  images: z.array(z.string()).max(ITEMS_MAX).nullish().describe("In base64."),
  tool_calls: z
    .array(
      z.object({
        id: z.string().optional(),
        function: z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }),
      }),
    )
    .nullish(),
  tool_name: z.string().nullish(),
  tool_call_id: z.string().nullish(),
});

function readTools(value: unknown, param: string): Tool[] {
  return readList(value, param, TOOLS_MAX, (item, at) => readFunction(readObject(item, at).function, `${at}.function`));
}

/** What chats and plain prompts have in common. */
const commonFields = {
  model: modelField.describe("A name from GET /api/tags, the short name of a model, or `auto`."),
  format: new Field(readFormat, z.union([z.enum(["json", ""]), z.record(z.string(), z.unknown())])).optional(),
  options: objectField({ schema: options.schema.loose() }).optional(),
  stream: booleanField().optional().describe("Left out: true."),
  think: new Field(readThink, z.union([z.boolean(), z.enum(EFFORTS)])).optional(),
  ...routingFields,
};

const chat = fieldTable({
  ...commonFields,
  messages: new Field(readMessages, z.array(messageSchema).max(ITEMS_MAX)),
  tools: new Field(
    readTools,
    z.array(z.object({ type: z.literal("function"), function: functionDefinition })).max(TOOLS_MAX),
  ).nullish(),
});

const generate = fieldTable({
  ...commonFields,
  prompt: stringField(1, TEXT_LENGTH_MAX),
  system: stringField(0, TEXT_LENGTH_MAX).optional(),
  images: imagesField,
});

const embed = fieldTable({
  model: commonFields.model,
  input: textsField,
  dimensions: integerField(1, DIMENSIONS_MAX).optional(),
  ...routingFields,
});

export const chatRequestSchema = chat.schema;
export const generateRequestSchema = generate.schema;
export const embedRequestSchema = embed.schema;

/** Fields that mean nothing here: no model is loaded, and inputs are never cut. */
const HARMLESS: ReadonlySet<string> = new Set(["keep_alive", "truncate"]);

function droppedOf(fields: Fields, names: ReadonlySet<string>, prefix = ""): string[] {
  return Object.keys(fields)
    .filter((name) => fields[name] !== null && !names.has(name) && !(prefix === "" && HARMLESS.has(name)))
    .map((name) => prefix + name);
}

function readParameters(fields: Fields): { parameters: Parameters; dropped: readonly string[] } {
  const given = chat.read.options(fields) ?? {};
  const maxTokens = options.read.num_predict(given);
  const topK = options.read.top_k(given);
  return {
    parameters: {
      ...EMPTY_PARAMETERS,
      maxTokens: maxTokens === undefined || maxTokens < 1 ? undefined : maxTokens,
      temperature: options.read.temperature(given),
      topK: topK === 0 ? undefined : topK,
      topP: options.read.top_p(given),
      seed: options.read.seed(given),
      stop: options.read.stop(given),
      presencePenalty: options.read.presence_penalty(given),
      frequencyPenalty: options.read.frequency_penalty(given),
      thinking: chat.read.think(fields),
    },
    dropped: droppedOf(given, options.names, "options."),
  };
}

const CHAT = normaliseTask("chat");
const TEXT = normaliseTask("text");
const EMBEDDING = normaliseTask("embedding");

/** Reads a body of `/api/chat`. */
export function readChatRequest(body: unknown): Inference {
  const fields = readObject(body, "");
  const model = chat.read.model(fields);
  const messages = chat.read.messages(fields);
  const tools = chat.read.tools(fields) ?? [];
  const conversation = { messages, tools, answerForm: chat.read.format(fields) };
  checkSaysSomething(conversation, "messages");
  return toRequest(fields, CHAT, model, conversation, droppedOf(fields, chat.names));
}

/** Reads a body of `/api/generate`. */
export function readGenerateRequest(body: unknown): Inference {
  const fields = readObject(body, "");
  const model = generate.read.model(fields);
  const prompt = generate.read.prompt(fields);
  const system = generate.read.system(fields) ?? "";
  const images = generate.read.images(fields) ?? [];
  const instruction: Message[] = system === "" ? [] : [{ role: "system", content: [{ type: "text", text: system }] }];
  const question: Message = { role: "user", content: [{ type: "text", text: prompt }, ...images] };
  const conversation = { messages: [...instruction, question], tools: [], answerForm: generate.read.format(fields) };
  return toRequest(fields, TEXT, model, conversation, droppedOf(fields, generate.names));
}

function toRequest(
  fields: Fields,
  task: Inference["task"],
  { model, strategy }: ReturnType<typeof modelField.read>,
  conversation: Conversation,
  dropped: readonly string[],
): Inference {
  const { parameters, dropped: droppedOptions } = readParameters(fields);
  return toInference({
    task,
    conversation,
    model,
    strategy,
    routingOptions: readRoutingOptions(fields),
    parameters,
    streaming: chat.read.stream(fields) ?? true,
    extras: undefined,
    dropped: [...dropped, ...droppedOptions],
  });
}

/** Reads a body of `/api/embed`. */
export function readEmbedRequest(body: unknown): Inference {
  const fields = readObject(body, "");
  const { model, strategy } = embed.read.model(fields);
  const texts = embed.read.input(fields);
  return toInference({
    task: EMBEDDING,
    conversation: conversationOfTexts(texts),
    model,
    strategy,
    routingOptions: readRoutingOptions(fields, false),
    parameters: { ...EMPTY_PARAMETERS, dimensions: embed.read.dimensions(fields) },
    streaming: false,
    extras: undefined,
    dropped: droppedOf(fields, embed.names),
  });
}
