import type { AnswerForm, Conversation } from "@trunkline/core/conversation.ts";
import { type Extras, type Inference, normaliseTask, type Thinking } from "@trunkline/core/inference.ts";
import { z } from "zod";
import type { RequestContext, RequestMetadata } from "../../../endpoints/endpoint.ts";
import {
  booleanField,
  Field,
  fieldTable,
  integerField,
  listField,
  objectField,
  stringField,
} from "../../../requests/field-table.ts";
import { type Fields, invalidField, readObject, readString } from "../../../requests/fields.ts";
import { routingFields } from "../../../requests/read-routing-options.ts";
import { toInference } from "../../../requests/to-inference.ts";
import { checkSaysSomething } from "../../check-conversation.ts";
import { EMPTY_PARAMETERS } from "../../shared-fields.ts";
import { readSchemaFormat } from "../chat/request.ts";
import {
  effortField,
  impliedSessionOf,
  maxTokensField,
  metadataField,
  openAiBody,
  openAiModelField,
  shortStringField,
  streamField,
  temperatureField,
  topPField,
  verbosityField,
} from "../fields.ts";
import { openRouterRoutingFields, readNamedModels, readRouting } from "../openrouter-fields.ts";
import { inputField, instructionsField } from "./items.ts";
import { readResponseTools, responseToolFields } from "./tools.ts";

const TOP_LOGPROBS_MAX = 20;
const INCLUDES_MAX = 64;
const ID_LENGTH_MAX = 128;
const LOGPROBS = "message.output_text.logprobs";
const ENCRYPTED_REASONING = "reasoning.encrypted_content";

/** The format that the answer must have; undefined: any text. */
function readTextFormat(value: unknown, param: string): AnswerForm | undefined {
  const { type } = readObject(value, param);
  switch (type) {
    case "text":
      return undefined;
    case "json_object":
      return { type: "json" };
    case "json_schema":
      return readSchemaFormat(value, param);
    default:
      throw invalidField(`${param}.type`, `\`${param}.type\` must be one of: text, json_object, json_schema.`);
  }
}

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

const text = fieldTable(
  { format: new Field(readTextFormat, textFormat).optional(), verbosity: verbosityField },
  "text",
);
const reasoning = fieldTable({ effort: effortField }, "reasoning");

/** A conversation is named by its id, alone or in an object. */
function readConversation(value: unknown, param: string): string {
  if (typeof value === "string") return readString(value, param, 1, ID_LENGTH_MAX);
  return readString(readObject(value, param).id, `${param}.id`, 1, ID_LENGTH_MAX);
}

const idSchema = z.string().min(1).max(ID_LENGTH_MAX);

/** The body of `responses`. */
export const responsesBody = openAiBody({
  fields: {
    model: openAiModelField.requiredUnless("models"),
    input: inputField,
    instructions: instructionsField,
    previous_response_id: stringField(1, ID_LENGTH_MAX)
      .nullish()
      .describe("The response that this one continues. Its `instructions` do not carry over."),
    conversation: new Field(readConversation, z.union([idSchema, z.object({ id: idSchema })]))
      .nullish()
      .describe("Its items come before `input`; `input` and the answer are added to it."),
    store: booleanField().nullish().describe("Whether the response is kept for later requests. Default: true."),
    ...responseToolFields,
    text: objectField(text).nullish(),
    reasoning: objectField({ schema: reasoning.schema.loose() }).nullish(),
    max_output_tokens: maxTokensField,
    temperature: temperatureField,
    top_p: topPField,
    top_logprobs: integerField(0, TOP_LOGPROBS_MAX).nullish(),
    include: listField(INCLUDES_MAX, stringField(1, 128)).nullish(),
    metadata: metadataField,
    stream: streamField,
    ...routingFields,
    ...openRouterRoutingFields,
  },
  forwarded: {
    user: shortStringField.nullish(),
    safety_identifier: shortStringField.nullish(),
    prompt_cache_key: shortStringField.nullish(),
  },
  harmless: {
    background: (value) => value === false,
    truncation: (value) => value === "disabled",
    service_tier: (value) => value === "auto" || value === "default",
    stream_options: (value) => typeof value === "object",
    // A field of `text` here. At the top of the body it belongs to `chat/completions`.
    verbosity: () => true,
  },
});

const { read } = responsesBody;
export const readResponseFields = read;

/** A field that stands for text that only OpenAI has can't be dropped without changing the question. */
function refuseForeignState(fields: Fields): void {
  if (fields.prompt !== undefined && fields.prompt !== null)
    throw invalidField("prompt", "Prompts are not stored here. Send it as `instructions` and `input`.");
  if (fields.background === true)
    throw invalidField("background", "Responses do not run in the background here. Leave `background` out.");
}

/** Reads a body of `responses`, or refuses the first wrong field by name. */
export function readResponse(body: unknown, _metadata?: RequestMetadata, context?: RequestContext): Inference {
  const fields = readObject(body, "");
  refuseForeignState(fields);
  const named = readNamedModels(fields);
  const textOptions = read.text(fields) ?? {};
  const answerForm = text.read.format(textOptions);
  const instructions = read.instructions(fields) ?? "";
  const droppedItems = new Set<string>();
  const messages = read.input(fields, { ...context, dropped: droppedItems });
  const { tools, toolChoice, parallelToolCalls, dropped: droppedTools } = readResponseTools(fields);
  const conversation: Conversation = {
    messages:
      instructions === ""
        ? messages
        : [{ role: "system", content: [{ type: "text", text: instructions }] }, ...messages],
    tools,
    toolChoice,
    parallelToolCalls,
    answerForm,
  };
  checkSaysSomething(conversation, "input");
  const { routingOptions, dropped: droppedRouting } = readRouting(fields, named);
  const included = readInclude(fields);
  const { thinking, dropped: droppedReasoning } = readThinking(fields);
  read.metadata(fields);
  read.store(fields);
  read.previous_response_id(fields);
  read.conversation(fields);
  const { format: _, verbosity: __, ...unknownOfText } = textOptions;
  const { dropped, extras: forwarded } = responsesBody.partition(fields);
  const verbosity = text.read.verbosity(textOptions);
  const extras = verbosity === undefined ? forwarded : withVerbosity(forwarded, verbosity);
  return toInference({
    task: CHAT,
    conversation,
    model: named.model,
    strategy: named.strategy,
    routingOptions,
    parameters: {
      ...EMPTY_PARAMETERS,
      maxTokens: read.max_output_tokens(fields),
      temperature: read.temperature(fields),
      topP: read.top_p(fields),
      logprobs: read.top_logprobs(fields) ?? (included.wantsLogprobs ? 0 : undefined),
      thinking,
    },
    streaming: read.stream(fields) ?? false,
    extras,
    impliedSession: impliedSessionOf(extras),
    dropped: [
      ...dropped,
      ...droppedRouting,
      ...droppedItems,
      ...droppedTools,
      ...Object.keys(unknownOfText).map((name) => `text.${name}`),
      ...included.dropped,
      ...droppedReasoning,
    ],
  });
}

const CHAT = normaliseTask("chat");

/** Thinking is passed on as it comes, so a request for a summary of it changes nothing. */
function readThinking(fields: Fields): { thinking: Thinking | undefined; dropped: readonly string[] } {
  const given = read.reasoning(fields) ?? {};
  const effort = reasoning.read.effort(given);
  const others = Object.keys(given).filter((name) => name !== "effort" && (given[name] ?? null) !== null);
  return {
    thinking: effort === undefined ? undefined : { effort },
    dropped: others.map((name) => `reasoning.${name}`),
  };
}

function readInclude(fields: Fields): { wantsLogprobs: boolean; dropped: readonly string[] } {
  const included = read.include(fields) ?? [];
  const isUnknown = included.some((name) => name !== LOGPROBS && name !== ENCRYPTED_REASONING);
  return { wantsLogprobs: included.includes(LOGPROBS), dropped: isUnknown ? ["include"] : [] };
}

/** Providers of OpenAI's format are called by `chat/completions`, which has `verbosity` at the top of the body. */
function withVerbosity(extras: Extras | undefined, verbosity: string): Extras {
  return { wire: "openai", fields: { ...extras?.fields, verbosity } };
}
