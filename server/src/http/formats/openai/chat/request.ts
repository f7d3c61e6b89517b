import { type AnswerForm, attachmentsOf, type Conversation, textOf } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask, type Parameters, REASONING_EFFORTS } from "@trunkline/core/inference.ts";
import { z } from "zod";
import {
  type Fields,
  invalidField,
  readBoolean,
  readChoice,
  readInteger,
  readObject,
  readOptional,
  readString,
} from "../../../requests/fields.ts";
import { ATTACHMENTS_MAX } from "../../../requests/read-inference.ts";
import { readRoutingOptions } from "../../../requests/read-routing-options.ts";
import { extensionFields, modelField, ROUTING_FIELDS, readModel, samplingFields } from "../../shared-fields.ts";
import {
  CHAT_EXTRAS,
  type FieldRules,
  partitionFields,
  readMaxTokens,
  readSampling,
  readStreaming,
  SAMPLING_FIELDS,
  sessionOf,
} from "../fields.ts";
import { readMessages } from "./messages.ts";
import { readTools } from "./tools.ts";

/** The body of `chat/completions`, for the OpenAPI document. */
const text = z.object({ type: z.literal("text"), text: z.string() });
const textContent = z.union([z.string(), z.array(text)]);

const userPart = z.union([
  text,
  z.object({
    type: z.literal("image_url"),
    image_url: z.object({
      url: z.string().describe("https: or data: URL"),
      detail: z.enum(["auto", "low", "high"]).optional(),
    }),
  }),
  z.object({
    type: z.literal("input_audio"),
    input_audio: z.object({ data: z.string().describe("Base64."), format: z.enum(["wav", "mp3"]) }),
  }),
  z.object({
    type: z.literal("file"),
    file: z.object({
      file_data: z.string().describe("A data: URL, or base64."),
      filename: z.string().optional(),
    }),
  }),
]);

const assistantPart = z.union([text, z.object({ type: z.literal("refusal"), refusal: z.string() })]);
const functionCall = z.object({ name: z.string(), arguments: z.string().describe("JSON.") });

const message = z.union([
  z.object({ role: z.enum(["system", "developer"]), content: textContent }),
  z.object({ role: z.literal("user"), content: z.union([z.string(), z.array(userPart)]) }),
  z.object({
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(assistantPart)]).nullish(),
    refusal: z.string().nullish(),
    reasoning_content: z.string().nullish().describe("What the model thought, as it was given out."),
    tool_calls: z.array(z.object({ id: z.string(), type: z.literal("function"), function: functionCall })).optional(),
    function_call: functionCall.nullish(),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: textContent }),
  z.object({ role: z.literal("function"), name: z.string(), content: textContent }),
]);

const functionDefinition = z.object({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional().describe("A JSON schema."),
  strict: z.boolean().nullish(),
});
const namedFunction = z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) });

export const chatRequestSchema = z.object({
  model: modelField,
  messages: z.array(message).min(1).max(2_048),
  ...samplingFields,
  max_completion_tokens: z.int().min(1).max(1_000_000).nullish().describe("Counts before `max_tokens`."),
  tools: z
    .array(z.object({ type: z.literal("function"), function: functionDefinition }))
    .max(128)
    .optional(),
  tool_choice: z
    .union([
      z.enum(["none", "auto", "required"]),
      namedFunction,
      z.object({
        type: z.literal("allowed_tools"),
        allowed_tools: z.object({ mode: z.enum(["auto", "required"]), tools: z.array(namedFunction) }),
      }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  functions: z.array(functionDefinition).max(128).optional().describe("The old form of `tools`."),
  function_call: z.union([z.enum(["none", "auto"]), z.object({ name: z.string() })]).optional(),
  response_format: z
    .union([
      z.object({ type: z.enum(["text", "json_object"]) }),
      z.object({
        type: z.literal("json_schema"),
        json_schema: z.object({
          name: z.string(),
          description: z.string().optional(),
          schema: z.record(z.string(), z.unknown()).optional(),
          strict: z.boolean().nullish(),
        }),
      }),
    ])
    .optional(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  reasoning_effort: z.enum([...REASONING_EFFORTS, "max"]).nullish(),
  logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
  user: z.string().optional(),
  metadata: z.record(z.string(), z.string()).nullish(),
  store: z.boolean().nullish(),
  prompt_cache_key: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  verbosity: z.enum(["low", "medium", "high"]).nullish(),
  ...extensionFields,
});

/** The most words of all messages together, in characters. */
const TEXT_LENGTH_MAX = 1_000_000;
const TOP_LOGPROBS_MAX = 20;

const RULES: FieldRules = {
  understood: new Set([
    ...SAMPLING_FIELDS,
    "model",
    "messages",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "functions",
    "function_call",
    "response_format",
    "max_completion_tokens",
    "logprobs",
    "top_logprobs",
    "reasoning_effort",
    "stream",
    "stream_options",
    ...ROUTING_FIELDS,
  ]),
  extras: CHAT_EXTRAS,
  harmless: {
    modalities: (value) => Array.isArray(value) && value.every((modality) => modality === "text"),
    service_tier: (value) => value === "auto" || value === "default",
  },
};

/** What a body of `chat/completions` asks for, or the first wrong field by name. */
export function readChat(body: unknown): Inference {
  const fields = readObject(body, "");
  const { model, strategy } = readModel(fields.model);
  const { messages, dropped } = readMessages(fields.messages);
  const answerForm = readOptional(fields.response_format, readResponseFormat);
  const conversation: Conversation = {
    messages,
    ...readTools(fields),
    ...(answerForm === undefined ? {} : { answerForm }),
  };
  checkConversationSize(conversation);
  const routingOptions = readRoutingOptions(fields);
  const sorted = partitionFields(fields, RULES);
  return {
    task: normaliseTask("chat"),
    conversation,
    model,
    ...routingOptions,
    strategy: strategy ?? routingOptions.strategy,
    parameters: readParameters(fields),
    streaming: readStreaming(fields),
    ...sorted,
    ...sessionOf(routingOptions, sorted),
    dropped: [...dropped, ...(sorted.dropped ?? [])],
  };
}

function readParameters(fields: Fields): Parameters {
  const samplingParameters = readSampling(fields);
  return {
    ...samplingParameters,
    maxTokens: readMaxTokens(fields.max_completion_tokens, "max_completion_tokens") ?? samplingParameters.maxTokens,
    logprobs: readLogprobs(fields),
    thinking: readOptional(fields.reasoning_effort, (value) => ({
      effort: value === "max" ? "xhigh" : readChoice(value, "reasoning_effort", REASONING_EFFORTS),
    })),
  };
}

function readLogprobs(fields: Fields): number | undefined {
  const isWanted = readOptional(fields.logprobs, (value) => readBoolean(value, "logprobs")) ?? false;
  const alternatives = readOptional(fields.top_logprobs, (value) =>
    readInteger(value, "top_logprobs", 0, TOP_LOGPROBS_MAX),
  );
  if (alternatives !== undefined && alternatives > 0 && !isWanted)
    throw invalidField("top_logprobs", "`top_logprobs` needs `logprobs` to be true.");
  return isWanted ? (alternatives ?? 0) : undefined;
}

function checkConversationSize(conversation: Conversation): void {
  if (attachmentsOf(conversation).length > ATTACHMENTS_MAX)
    throw invalidField("messages", `\`messages\` may hold at most ${ATTACHMENTS_MAX} images, sounds and files.`);
  const words = textOf(conversation);
  if (words === "" && attachmentsOf(conversation).length === 0)
    throw invalidField("messages", "`messages` must say something.");
  if (words.length > TEXT_LENGTH_MAX) {
    throw invalidField(
      "messages",
      `\`messages\` may have at most ${TEXT_LENGTH_MAX.toLocaleString("en")} characters of text.`,
    );
  }
}

/** As JSON. */
const SCHEMA_LENGTH_MAX = 400_000;

/** The form that the answer must have; undefined: any text. */
function readResponseFormat(value: unknown): AnswerForm | undefined {
  const { type, json_schema: schema } = readObject(value, "response_format");
  switch (type) {
    case "text":
      return undefined;
    case "json_object":
      return { type: "json" };
    case "json_schema":
      return readSchemaFormat(schema, "response_format.json_schema");
    default:
      throw invalidField(
        "response_format.type",
        "`response_format.type` must be one of: text, json_object, json_schema.",
      );
  }
}

/** A schema with its name. */
export function readSchemaFormat(value: unknown, param: string): AnswerForm {
  const fields = readObject(value, param);
  const name = readString(fields.name, `${param}.name`, 1, 64);
  if (!/^[A-Za-z0-9_-]+$/.test(name))
    throw invalidField(`${param}.name`, `\`${param}.name\` may hold letters, digits, _ and - only.`);
  const schema = readOptional(fields.schema, (given) => readObject(given, `${param}.schema`)) ?? {};
  if (JSON.stringify(schema).length > SCHEMA_LENGTH_MAX) {
    throw invalidField(
      `${param}.schema`,
      `\`${param}.schema\` may have at most ${SCHEMA_LENGTH_MAX.toLocaleString("en")} characters as JSON.`,
    );
  }
  const description = readOptional(fields.description, (given) => readString(given, `${param}.description`, 0, 16_384));
  const strict = readOptional(fields.strict, (given) => readBoolean(given, `${param}.strict`));
  return {
    type: "schema",
    name,
    schema,
    ...(description === undefined ? {} : { description }),
    ...(strict === undefined ? {} : { strict }),
  };
}
