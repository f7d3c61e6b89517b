import type {
  AnswerForm,
  CacheBreakpoint,
  Content,
  Conversation,
  Message,
} from "@trunkline/core/conversation.ts";
import type { Inference, Parameters } from "@trunkline/core/inference.ts";
import { normaliseTask } from "@trunkline/core/normalise-task.ts";
import type { RequestMetadata } from "../../endpoints/endpoint.ts";
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
import { readRoutingOptions } from "../../requests/read-wishes.ts";
import { ROUTING_FIELDS } from "../plain-fields.ts";
import { readModel } from "../read-model.ts";
import { readCacheControl } from "./read-cache-mark.ts";
import { type ReadingState, readContent, readTextBlocks } from "./read-content.ts";
import { readThinking } from "./read-thinking.ts";
import { readToolChoice, readTools } from "./read-tools.ts";

const MESSAGES_MAX = 100_000;
const MAX_TOKENS_MAX = 1_000_000;

/** Everything that something is made of, or that a count of tokens has no use for. */
const KNOWN_FIELDS = new Set<string>([
  ...ROUTING_FIELDS,
  "model",
  "messages",
  "system",
  "max_tokens",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "stream",
  "metadata",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "output_format",
  "cache_control",
  "session",
  "continue",
]);

/** A message to be answered, as Anthropic's clients ask for it. */
export function readMessagesRequest(body: unknown, { headers }: Pick<RequestMetadata, "headers">): Inference {
  const fields = readObject(body, "");
  const dropped = new Set(
    Object.keys(fields).filter((name) => !KNOWN_FIELDS.has(name) && fields[name] != null),
  );
  const maxTokens = readInteger(required(fields, "max_tokens"), "max_tokens", 1, MAX_TOKENS_MAX);
  return { ...readInferenceFields(fields, headers, dropped, maxTokens), dropped: [...dropped] };
}

/** The same without a limit on the answer, which nobody gives who only wants to know how long the question is. */
export function readCountTokensRequest(body: unknown): Inference {
  return readInferenceFields(readObject(body, ""), {}, new Set(), undefined);
}

function readInferenceFields(
  fields: Fields,
  headers: RequestMetadata["headers"],
  dropped: Set<string>,
  maxTokens: number | undefined,
): Inference {
  const { model, strategy } = readModel(fields.model);
  const routingOptions = readRoutingOptions(fields);
  const thinking = readThinking(fields, dropped);
  const passed = { ...readMetadata(fields.metadata), ...readBetas(headers) };
  return {
    task: normaliseTask("chat"),
    model,
    ...routingOptions,
    strategy: strategy ?? routingOptions.strategy,
    conversation: readConversation(fields, dropped),
    parameters: { ...readParameters(fields), maxTokens, ...(thinking === undefined ? {} : { thinking }) },
    streaming: readOptional(fields.stream, (value) => readFlag(value, "stream")) ?? false,
    ...(Object.keys(passed).length === 0 ? {} : { extras: { wire: "anthropic", fields: passed } }),
  };
}

function readConversation(fields: Fields, dropped: Set<string>): Conversation {
  const readingState: ReadingState = { dropped, toolNames: new Map() };
  const system = readOptional(fields.system, (value) => readTextBlocks(value, "system")) ?? [];
  const messages = readList(required(fields, "messages"), "messages", MESSAGES_MAX, (item, param) =>
    readMessage(item, param, readingState),
  ).flat();
  if (messages.length === 0) throw invalidField("messages", "`messages` must hold at least one message.");
  const tools = readTools(fields.tools, dropped);
  const answerForm = readResponseFormat(fields);
  const { cache } = readCacheControl(fields, "");
  return {
    messages: [
      ...(system.length === 0 ? [] : [{ role: "system", content: system } as const]),
      ...(cache === undefined ? messages : withCacheMarkOnLast(messages, cache)),
    ],
    tools,
    ...readToolChoice(fields.tool_choice, tools),
    ...(answerForm === undefined ? {} : { answerForm }),
  };
}

/** What tools brought back stands beside a user's words there, and in messages of its own here. */
function readMessage(item: unknown, param: string, readingState: ReadingState): Message[] {
  const fields = readObject(item, param);
  const role = readChoice(fields.role, `${param}.role`, ["user", "assistant", "system"]);
  const path = `${param}.content`;
  if (fields.content === undefined || fields.content === null)
    throw invalidField(path, `\`${path}\` is required.`);
  const content =
    role === "system"
      ? readTextBlocks(fields.content, path)
      : readContent(fields.content, path, readingState);
  const messages: { role: Message["role"]; content: Content[] }[] = [];
  for (const piece of content) {
    const of = piece.type === "tool-result" ? "tool" : role;
    const last = messages.at(-1);
    if (last?.role === of) last.content.push(piece);
    else messages.push({ role: of, content: [piece] });
  }
  return messages;
}

/** A mark for all of the request stands for one on its last piece that can have one. */
function withCacheMarkOnLast(messages: readonly Message[], cache: CacheBreakpoint): Message[] {
  const last = messages.at(-1);
  const place = last?.content.findLastIndex(({ type }) => type !== "thinking") ?? -1;
  if (last === undefined || place === -1) return [...messages];
  const content = last.content.map((piece, index) =>
    index === place && piece.type !== "thinking" ? { ...piece, cache } : piece,
  );
  return [...messages.slice(0, -1), { ...last, content }];
}

function readResponseFormat(fields: Fields): AnswerForm | undefined {
  const config = readOptional(fields.output_config, (value) => readObject(value, "output_config"));
  const [given, param] =
    config?.format == null
      ? [fields.output_format, "output_format"]
      : [config.format, "output_config.format"];
  return readOptional(given, (value) => {
    const format = readObject(value, param);
    readChoice(format.type, `${param}.type`, ["json_schema"]);
    return {
      type: "schema",
      name: "answer",
      schema: readObject(format.schema, `${param}.schema`),
      strict: true,
    };
  });
}

function readParameters(fields: Fields): Omit<Parameters, "maxTokens"> {
  return {
    temperature: readOptional(fields.temperature, (value) => readNumber(value, "temperature", 0, 2)),
    topP: readOptional(fields.top_p, (value) => readNumber(value, "top_p", 0, 1)),
    topK: readOptional(fields.top_k, (value) => readInteger(value, "top_k", 0, 1_000_000)),
    stop: readOptional(fields.stop_sequences, (value) =>
      readList(value, "stop_sequences", 1_000, (item, param) => readString(item, param, 1, 1_000)),
    ),
    size: undefined,
    voice: undefined,
    format: undefined,
    others: {},
  };
}

function readMetadata(value: unknown): { metadata?: { user_id: string } } {
  const metadata = readOptional(value, (given) => readObject(given, "metadata"));
  const userId = readOptional(metadata?.user_id, (id) => readString(id, "metadata.user_id", 1, 512));
  return userId === undefined ? {} : { metadata: { user_id: userId } };
}

/** Features in trial, by their names. Whoever calls a provider of this format knows which of them may be passed on. */
function readBetas({ "anthropic-beta": header }: RequestMetadata["headers"]): {
  "anthropic-beta"?: string[];
} {
  const named = (Array.isArray(header) ? header.join(",") : (header ?? ""))
    .split(",")
    .map((name) => name.trim());
  const betas = named.filter((name) => name !== "");
  return betas.length === 0 ? {} : { "anthropic-beta": betas };
}

function readFlag(value: unknown, param: string): boolean {
  if (typeof value !== "boolean") throw invalidField(param, `\`${param}\` must be true or false.`);
  return value;
}

function required(fields: Fields, name: string): unknown {
  if (fields[name] === undefined || fields[name] === null)
    throw invalidField(name, `\`${name}\` is required.`);
  return fields[name];
}
