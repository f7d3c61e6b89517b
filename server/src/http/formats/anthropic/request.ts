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
  type Inference,
  normaliseTask,
  type Parameters,
  REASONING_EFFORTS,
  type Thinking,
} from "@trunkline/core/inference.ts";
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
import { readRoutingOptions } from "../../requests/read-routing-options.ts";
import { ROUTING_FIELDS, readModel } from "../shared-fields.ts";
import { type ReadingState, readCacheControl, readContent, readTextBlocks } from "./content.ts";

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
  const dropped = new Set(Object.keys(fields).filter((name) => !KNOWN_FIELDS.has(name) && fields[name] != null));
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
  if (fields.content === undefined || fields.content === null) throw invalidField(path, `\`${path}\` is required.`);
  const content =
    role === "system" ? readTextBlocks(fields.content, path) : readContent(fields.content, path, readingState);
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
    config?.format == null ? [fields.output_format, "output_format"] : [config.format, "output_config.format"];
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
  const named = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",").map((name) => name.trim());
  const betas = named.filter((name) => name !== "");
  return betas.length === 0 ? {} : { "anthropic-beta": betas };
}

function readFlag(value: unknown, param: string): boolean {
  if (typeof value !== "boolean") throw invalidField(param, `\`${param}\` must be true or false.`);
  return value;
}

function required(fields: Fields, name: string): unknown {
  if (fields[name] === undefined || fields[name] === null) throw invalidField(name, `\`${name}\` is required.`);
  return fields[name];
}

const ANTHROPIC_EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;
/** What a model of Anthropic's takes for granted where it is left to itself how much it thinks. */
const DEFAULT_EFFORT = "high";
/** The most that there is a common word for. */
const HIGHEST_EFFORT = "xhigh";

/** How much a model shall think. What our own words can't say is named among what was dropped. */
function readThinking(body: Fields, dropped: Set<string>): Thinking | undefined {
  const given = readOptional(body.thinking, (value) => readObject(value, "thinking"));
  const effort = readEffort(body, dropped);
  if (given === undefined) return effort === undefined ? undefined : { effort };
  if (given.display != null) dropped.add("thinking.display");
  const type = readChoice(given.type, "thinking.type", ["enabled", "disabled", "adaptive", "between_tools"]);
  switch (type) {
    case "enabled": {
      const budgetTokens = readInteger(given.budget_tokens, "thinking.budget_tokens", 1, 1_000_000);
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
  const config = readOptional(body.output_config, (value) => readObject(value, "output_config"));
  const given = readOptional(config?.effort, (value) => readChoice(value, "output_config.effort", ANTHROPIC_EFFORTS));
  if (given === undefined) return undefined;
  const known = REASONING_EFFORTS.find((effort) => effort === given);
  if (known === undefined) dropped.add("output_config.effort");
  return known ?? HIGHEST_EFFORT;
}

const TOOLS_MAX = 1_024;
/** What a tool of the client's own may say; anything else about it is dropped and told so. */
const KNOWN_TOOL_FIELDS = new Set(["type", "name", "description", "input_schema", "strict", "cache_control"]);

/** The client's own tools. Those that only Anthropic has are dropped, and named among what was. */
function readTools(value: unknown, dropped: Set<string>): Tool[] {
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
          readOptional(fields.description, (text) => readString(text, `${param}.description`, 0, 100_000)) ?? "",
        inputSchema: readObject(fields.input_schema, `${param}.input_schema`),
        ...(fields.strict === true ? { strict: true } : {}),
        ...readCacheControl(fields, param),
      },
    ];
  }
}

interface ToolChoiceFields {
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
}

/** Which tools may or must be called. A call that is asked for and can't be made is refused, not left out. */
function readToolChoice(value: unknown, tools: readonly Tool[]): ToolChoiceFields {
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
