import type { AnswerForm, Conversation } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask, type Parameters } from "@trunkline/core/inference.ts";
import { z } from "zod";
import type { Preparation, PreparedRequest } from "../../../endpoints/endpoint.ts";
import { booleanField, Field, integerField } from "../../../requests/field-table.ts";
import {
  type Fields,
  invalidField,
  readBoolean,
  readObject,
  readOptional,
  readString,
} from "../../../requests/fields.ts";
import { routingFields } from "../../../requests/read-routing-options.ts";
import { toInference } from "../../../requests/to-inference.ts";
import { checkSaysSomething } from "../../check-conversation.ts";
import {
  effortField,
  impliedSessionOf,
  logitBiasField,
  maxTokensField,
  metadataField,
  openAiBody,
  openAiModelField,
  readSampling,
  readStreaming,
  samplingFields,
  shortStringField,
  usageOptionsField,
  verbosityField,
} from "../fields.ts";
import { attachFiles, findNamedFiles, namesFiles } from "../file-references.ts";
import {
  openRouterReasoningField,
  openRouterRoutingFields,
  readNamedModels,
  readReasoning,
  readRouting,
} from "../openrouter-fields.ts";
import { messagesField } from "./messages.ts";
import { readTools, toolFields } from "./tools.ts";

const TOP_LOGPROBS_MAX = 20;
/** As JSON. */
const SCHEMA_LENGTH_MAX = 400_000;

/** The format that the answer must have; undefined: any text. */
function readResponseFormat(value: unknown, param: string): AnswerForm | undefined {
  const { type, json_schema: schema } = readObject(value, param);
  switch (type) {
    case "text":
      return undefined;
    case "json_object":
      return { type: "json" };
    case "json_schema":
      return readSchemaFormat(schema, `${param}.json_schema`);
    default:
      throw invalidField(`${param}.type`, `\`${param}.type\` must be one of: text, json_object, json_schema.`);
  }
}

const responseFormatField = new Field(
  readResponseFormat,
  z.union([
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
  ]),
);

/** The body of `chat/completions`. */
export const chatBody = openAiBody({
  fields: {
    model: openAiModelField.requiredUnless("models"),
    messages: messagesField,
    ...samplingFields,
    max_completion_tokens: maxTokensField.describe("Counts before `max_tokens`."),
    ...toolFields,
    response_format: responseFormatField.optional(),
    logprobs: booleanField().nullish(),
    top_logprobs: integerField(0, TOP_LOGPROBS_MAX).nullish(),
    reasoning_effort: effortField,
    reasoning: openRouterReasoningField,
    usage: usageOptionsField,
    ...routingFields,
    ...openRouterRoutingFields,
  },
  forwarded: {
    logit_bias: logitBiasField,
    user: shortStringField.optional(),
    metadata: metadataField,
    store: booleanField().nullish(),
    prompt_cache_key: shortStringField.nullish(),
    safety_identifier: shortStringField.nullish(),
    verbosity: verbosityField,
  },
  harmless: {
    modalities: (value) => Array.isArray(value) && value.every((modality) => modality === "text"),
    service_tier: (value) => value === "auto" || value === "default",
  },
});

const { read } = chatBody;

/** Reads a body of `chat/completions`, or refuses the first wrong field by name. */
export function readChat(body: unknown): Inference {
  const fields = readObject(body, "");
  const named = readNamedModels(fields);
  const { messages, dropped } = read.messages(fields);
  const answerForm = fields.response_format == null ? undefined : read.response_format(fields);
  const { tools, toolChoice, parallelToolCalls, dropped: droppedTools } = readTools(fields);
  const conversation: Conversation = { messages, tools, toolChoice, parallelToolCalls, answerForm };
  checkSaysSomething(conversation, "messages");
  const { routingOptions, dropped: droppedRouting } = readRouting(fields, named);
  const { parameters, dropped: droppedReasoning } = readParameters(fields);
  const others = chatBody.partition(fields);
  return toInference({
    task: CHAT,
    conversation,
    model: named.model,
    strategy: named.strategy,
    routingOptions,
    parameters,
    streaming: readStreaming(fields),
    extras: others.extras,
    dropped: [...dropped, ...droppedTools, ...droppedRouting, ...droppedReasoning, ...others.dropped],
    impliedSession: impliedSessionOf(others.extras),
  });
}

const CHAT = normaliseTask("chat");

const NOTHING_DROPPED: readonly string[] = [];

function readParameters(fields: Fields): { parameters: Parameters; dropped: readonly string[] } {
  const parameters = readSampling(fields);
  if (fields.max_completion_tokens != null)
    parameters.maxTokens = read.max_completion_tokens(fields) ?? parameters.maxTokens;
  if (fields.logprobs != null || fields.top_logprobs != null) parameters.logprobs = readLogprobs(fields);
  const effort = fields.reasoning_effort == null ? undefined : read.reasoning_effort(fields);
  if (effort !== undefined) parameters.thinking = { effort };
  if (fields.reasoning == null) return { parameters, dropped: NOTHING_DROPPED };
  const { thinking, dropped } = readReasoning(read.reasoning(fields));
  parameters.thinking = thinking ?? parameters.thinking;
  return { parameters, dropped };
}

function readLogprobs(fields: Fields): number | undefined {
  const isWanted = read.logprobs(fields) ?? false;
  const alternatives = read.top_logprobs(fields);
  if (alternatives !== undefined && alternatives > 0 && !isWanted)
    throw invalidField("top_logprobs", "`top_logprobs` needs `logprobs` to be true.");
  return isWanted ? (alternatives ?? 0) : undefined;
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

/** Whether a chat names files by their ids. */
export function needsFiles(body: unknown): boolean {
  return typeof body === "object" && body !== null && "messages" in body && namesFiles(body.messages);
}

/** Puts in the files that a chat names. */
export async function prepareChat(preparation: Preparation): Promise<PreparedRequest> {
  const fields = readObject(preparation.body, "");
  const messages: readonly unknown[] = Array.isArray(fields.messages) ? fields.messages : [];
  return { body: { ...fields, messages: attachFiles(messages, await findNamedFiles(preparation, messages)) } };
}
