import { type AnswerForm, attachmentsOf, type Conversation, textOf } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask, REASONING_EFFORTS, type Thinking } from "@trunkline/core/inference.ts";
import { z } from "zod";
import {
  type Fields,
  invalidField,
  readBoolean,
  readChoice,
  readInteger,
  readList,
  readNumber,
  readObject,
  readOptional,
  readString,
} from "../../../requests/fields.ts";
import { ATTACHMENTS_MAX } from "../../../requests/read-inference.ts";
import { readRoutingOptions } from "../../../requests/read-routing-options.ts";
import { EMPTY_PARAMETERS, extensionFields, modelField, ROUTING_FIELDS, readModel } from "../../shared-fields.ts";
import { readSchemaFormat } from "../chat/request.ts";
import {
  type FieldRules,
  partitionFields,
  readMaxTokens,
  readMetadata,
  readShortString,
  sessionOf,
} from "../fields.ts";
import { readItems } from "./items.ts";
import { readResponseTools } from "./tools.ts";

/** The body of `responses`, for the OpenAPI document. The reading is hand-written. */
const inputText = z.object({ type: z.literal("input_text"), text: z.string() });

const inputPart = z.union([
  inputText,
  z.object({
    type: z.literal("input_image"),
    image_url: z.string().describe("https: or data: URL"),
    detail: z.enum(["auto", "low", "high"]).nullish(),
  }),
  z.object({
    type: z.literal("input_file"),
    file_data: z.string().optional().describe("A data: URL, or base64."),
    file_url: z.string().optional(),
    filename: z.string().optional(),
  }),
  z.object({
    type: z.literal("input_audio"),
    input_audio: z.object({ data: z.string().describe("Base64."), format: z.enum(["wav", "mp3"]) }),
  }),
]);

const outputPart = z.union([
  z.object({ type: z.literal("output_text"), text: z.string() }),
  z.object({ type: z.literal("refusal"), refusal: z.string() }),
]);

const item = z.union([
  z.object({
    type: z.literal("message").optional(),
    role: z.enum(["system", "developer", "user"]),
    content: z.union([z.string(), z.array(inputPart)]),
  }),
  z.object({
    type: z.literal("message").optional(),
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(outputPart)]),
  }),
  z.object({
    type: z.literal("function_call"),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string().describe("JSON."),
  }),
  z.object({
    type: z.literal("function_call_output"),
    call_id: z.string(),
    output: z.union([z.string(), z.array(inputPart)]),
  }),
  z.object({
    type: z.literal("reasoning"),
    summary: z.array(z.object({ type: z.literal("summary_text"), text: z.string() })),
    encrypted_content: z.string().nullish(),
  }),
]);

const textFormat = z.union([
  z.object({ type: z.enum(["text", "json_object"]) }),
  z.object({
    type: z.literal("json_schema"),
    name: z.string(),
    schema: z.looseObject({}),
    description: z.string().optional(),
    strict: z.boolean().nullish(),
  }),
]);

const tool = z.object({
  type: z.literal("function"),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.looseObject({}).nullish(),
  strict: z.boolean().nullish(),
});

export const responsesRequestSchema = z.looseObject({
  model: modelField,
  input: z.union([z.string(), z.array(item)]),
  instructions: z.string().nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z.union([z.enum(["none", "auto", "required"]), z.looseObject({ type: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z.object({ format: textFormat.optional(), verbosity: z.enum(["low", "medium", "high"]).nullish() }).nullish(),
  reasoning: z.looseObject({ effort: z.enum(REASONING_EFFORTS).nullish() }).nullish(),
  max_output_tokens: z.int().min(1).max(1_000_000).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  include: z.array(z.string()).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  user: z.string().nullish(),
  stream: z.boolean().nullish(),
  ...extensionFields,
});

/** What becomes of each field of a body. `verbosity` is one of `text`, and stands at the top on the chat's wire. */
const RESPONSE_FIELD_RULES: FieldRules = {
  understood: new Set([
    "model",
    "input",
    "instructions",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "text",
    "reasoning",
    "include",
    "max_output_tokens",
    "temperature",
    "top_p",
    "top_logprobs",
    "stream",
    "metadata",
    ...ROUTING_FIELDS,
  ]),
  extras: {
    user: readShortString,
    safety_identifier: readShortString,
    prompt_cache_key: readShortString,
    verbosity: (value, param) => readChoice(value, `text.${param}`, ["low", "medium", "high"]),
  },
  harmless: {
    store: (value) => value === false,
    background: (value) => value === false,
    truncation: (value) => value === "disabled",
    service_tier: (value) => value === "auto" || value === "default",
    stream_options: (value) => typeof value === "object",
  },
};

const STORED_STATE_FIELDS: Readonly<Record<string, string>> = {
  previous_response_id: "Responses are not stored here. Send the whole conversation as `input`.",
  conversation: "Conversations are not stored here. Send the whole conversation as `input`.",
  prompt: "Prompts are not stored here. Send it as `instructions` and `input`.",
};

/** Whatever stands for words that only OpenAI has can't be left out without changing what is asked. */
function refuseStoredState(fields: Fields): void {
  for (const [name, sentence] of Object.entries(STORED_STATE_FIELDS))
    if (fields[name] !== undefined && fields[name] !== null) throw invalidField(name, sentence);
  if (fields.background === true)
    throw invalidField("background", "Responses are not stored here, so that none can be fetched later.");
}

/** The most words of all items together, in characters. */
const TEXT_LENGTH_MAX = 1_000_000;
const TOP_LOGPROBS_MAX = 20;
const LOGPROBS = "message.output_text.logprobs";
const ENCRYPTED_REASONING = "reasoning.encrypted_content";

/** What a body of `responses` asks for, or the first wrong field by name. */
export function readResponse(body: unknown): Inference {
  const fields = readObject(body, "");
  refuseStoredState(fields);
  const { model, strategy } = readModel(fields.model);
  const text = readOptional(fields.text, (value) => readObject(value, "text")) ?? {};
  const answerForm = readOptional(text.format, readTextFormat);
  const conversation: Conversation = {
    messages: readItems(fields),
    ...readResponseTools(fields),
    ...(answerForm === undefined ? {} : { answerForm }),
  };
  checkConversationSize(conversation);
  const routingOptions = readRoutingOptions(fields);
  const included = readInclude(fields);
  const thinking = readThinking(fields);
  readOptional(fields.metadata, (value) => readMetadata(value, "metadata"));
  const { format: _, verbosity = null, ...unknownOfText } = text;
  const { dropped = [], ...sorted } = partitionFields({ ...fields, verbosity }, RESPONSE_FIELD_RULES);
  return {
    task: normaliseTask("chat"),
    conversation,
    model,
    ...routingOptions,
    strategy: strategy ?? routingOptions.strategy,
    parameters: {
      ...EMPTY_PARAMETERS,
      maxTokens: readMaxTokens(fields.max_output_tokens, "max_output_tokens"),
      temperature: readOptional(fields.temperature, (value) => readNumber(value, "temperature", 0, 2)),
      topP: readOptional(fields.top_p, (value) => readNumber(value, "top_p", 0, 1)),
      logprobs:
        readOptional(fields.top_logprobs, (value) => readInteger(value, "top_logprobs", 0, TOP_LOGPROBS_MAX)) ??
        (included.wantsLogprobs ? 0 : undefined),
      thinking: thinking.wish,
    },
    streaming: readOptional(fields.stream, (value) => readBoolean(value, "stream")) ?? false,
    ...sorted,
    ...sessionOf(routingOptions, sorted),
    dropped: [
      ...dropped,
      ...Object.keys(unknownOfText).map((name) => `text.${name}`),
      ...included.dropped,
      ...thinking.dropped,
    ],
  };
}

/** The form that the answer must have; undefined: any text. */
function readTextFormat(value: unknown): AnswerForm | undefined {
  const { type } = readObject(value, "text.format");
  switch (type) {
    case "text":
      return undefined;
    case "json_object":
      return { type: "json" };
    case "json_schema":
      return readSchemaFormat(value, "text.format");
    default:
      throw invalidField("text.format.type", "`text.format.type` must be one of: text, json_object, json_schema.");
  }
}

/** Thoughts are given out as they come, so that a wish for a summary of them changes nothing. */
function readThinking(fields: Fields): { wish: Thinking | undefined; dropped: readonly string[] } {
  const reasoning = readOptional(fields.reasoning, (value) => readObject(value, "reasoning")) ?? {};
  const effort = readOptional(reasoning.effort, (value) =>
    value === "max" ? "xhigh" : readChoice(value, "reasoning.effort", REASONING_EFFORTS),
  );
  const others = Object.keys(reasoning).filter((name) => name !== "effort" && (reasoning[name] ?? null) !== null);
  return {
    wish: effort === undefined ? undefined : { effort },
    dropped: others.map((name) => `reasoning.${name}`),
  };
}

function readInclude(fields: Fields): { wantsLogprobs: boolean; dropped: readonly string[] } {
  const included =
    readOptional(fields.include, (value) =>
      readList(value, "include", 64, (item, param) => readString(item, param, 1, 128)),
    ) ?? [];
  const isUnknown = included.some((name) => name !== LOGPROBS && name !== ENCRYPTED_REASONING);
  return { wantsLogprobs: included.includes(LOGPROBS), dropped: isUnknown ? ["include"] : [] };
}

function checkConversationSize(conversation: Conversation): void {
  const attached = attachmentsOf(conversation).length;
  if (attached > ATTACHMENTS_MAX)
    throw invalidField("input", `\`input\` may hold at most ${ATTACHMENTS_MAX} images, sounds and files.`);
  const words = textOf(conversation);
  if (words === "" && attached === 0) throw invalidField("input", "`input` must say something.");
  if (words.length > TEXT_LENGTH_MAX)
    throw invalidField(
      "input",
      `\`input\` may have at most ${TEXT_LENGTH_MAX.toLocaleString("en")} characters of text.`,
    );
}
