import { conversationOf } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask } from "@trunkline/core/inference.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import { z } from "zod";
import type { Endpoint, InferenceEndpoint, StreamWriter, WholeAnswer } from "../../endpoints/endpoint.ts";
import type { HttpRequest } from "../../endpoints/http-request.ts";
import { Field, integerField } from "../../requests/field-table.ts";
import { invalidField, readObject, readString } from "../../requests/fields.ts";
import { routingFields } from "../../requests/read-routing-options.ts";
import { toInference } from "../../requests/to-inference.ts";
import { answeringModelsField } from "../../responses/answer.ts";
import { TEXT_LENGTH_MAX } from "../limits.ts";
import { openAiInferenceDefaults, toOpenAiError } from "./dialect.ts";
import {
  logitBiasField,
  openAiBody,
  openAiModelField,
  readIncludeUsage,
  readSampling,
  readStreaming,
  samplingFields,
  shortStringField,
  usageOptionsField,
} from "./fields.ts";
import { openRouterRoutingFields, readNamedModels, readRouting } from "./openrouter-fields.ts";
import {
  type Choice,
  collectChoices,
  EVENT_STREAM_TYPE,
  formatEvent,
  identifyResponse,
  STREAM_DONE,
  toUsage,
  usageSchema,
} from "./response-parts.ts";

const LOGPROBS_MAX = 5;

/** Reads a body of the old `completions`: one prompt is one message of a user. */
function readCompletion(body: unknown): Inference {
  const fields = readObject(body, "");
  const { read } = completionBody;
  const named = readNamedModels(fields);
  const { routingOptions, dropped: droppedRouting } = readRouting(fields, named);
  const conversation = conversationOf(read.prompt(fields));
  const parameters = readSampling(fields);
  parameters.logprobs = read.logprobs(fields);
  const streaming = readStreaming(fields);
  const { extras, dropped } = completionBody.partition(fields);
  return toInference({
    task: TEXT,
    conversation,
    model: named.model,
    strategy: named.strategy,
    routingOptions,
    parameters,
    streaming,
    extras,
    dropped: [...droppedRouting, ...dropped],
  });
}

const TEXT = normaliseTask("text");

function readPrompt(value: unknown, param: string): string {
  if (!Array.isArray(value)) return readString(value, param, 1, TEXT_LENGTH_MAX);
  const [only] = value;
  if (typeof only === "number" || Array.isArray(only))
    throw invalidField(param, `\`${param}\` must be text: every model here counts its tokens differently.`);
  if (value.length !== 1)
    throw invalidField(param, `\`${param}\` must hold one text. Send several prompts as several requests.`);
  return readString(only, `${param}[0]`, 1, TEXT_LENGTH_MAX);
}

const completionBody = openAiBody({
  fields: {
    model: openAiModelField.requiredUnless("models"),
    prompt: new Field(readPrompt, z.union([z.string(), z.array(z.string()).length(1)])),
    ...samplingFields,
    logprobs: integerField(0, LOGPROBS_MAX).nullish(),
    usage: usageOptionsField,
    ...routingFields,
    ...openRouterRoutingFields,
  },
  forwarded: { logit_bias: logitBiasField, user: shortStringField.optional() },
  harmless: {
    echo: (value) => value === false,
    suffix: (value) => value === "",
    best_of: (value) => value === 1,
  },
});

const COMPLETION_FINISH_REASONS = {
  stop: "stop",
  length: "length",
  "tool-calls": "stop",
  refused: "content_filter",
  unknown: "stop",
} as const satisfies Record<Choice["finish"], string>;

/** An answer of the old `completions`, whole or as one event of a stream. */
const completionResponseSchema = z.object({
  id: z.string(),
  object: z.literal("text_completion"),
  created: z.number().describe("In seconds since 1970."),
  model: z.string().describe("`provider/name` of the model that answered."),
  system_fingerprint: z.null(),
  choices: z.array(
    z.object({
      index: z.number(),
      text: z.string(),
      logprobs: z
        .object({
          tokens: z.array(z.string()),
          token_logprobs: z.array(z.number()),
          top_logprobs: z.array(z.record(z.string(), z.number())),
          text_offset: z.array(z.number()),
        })
        .nullable(),
      finish_reason: z.enum(["stop", "length", "content_filter"]).nullable(),
    }),
  ),
  usage: usageSchema.nullable().optional(),
});

type CompletionResponse = z.infer<typeof completionResponseSchema>;
type CompletionChoice = CompletionResponse["choices"][number];

/** A whole answer of the old `completions`. */
function toCompletionResponse({ parts, receipt, trace }: WholeAnswer): CompletionResponse {
  return {
    ...identifyResponse("cmpl", trace, receipt),
    object: "text_completion",
    system_fingerprint: null,
    choices: collectChoices(parts).map(({ index, text, logprobs, finish }) => ({
      index,
      text,
      logprobs: logprobs === undefined ? null : toCompletionLogprobs(logprobs),
      finish_reason: toCompletionFinishReason(finish),
    })),
    usage: toUsage(receipt),
  };
}

function toCompletionFinishReason(reason: Choice["finish"]): CompletionChoice["finish_reason"] {
  return COMPLETION_FINISH_REASONS[reason];
}

const tokenLogprob = z.object({ token: z.string(), logprob: z.number() });
const tokenLogprobWithAlternatives = tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob).catch([]) });

/** Log probabilities in the format of the old `completions`: parallel lists. */
function toCompletionLogprobs(content: readonly unknown[]): NonNullable<CompletionChoice["logprobs"]> {
  const tokens = content.flatMap((entry) => tokenLogprobWithAlternatives.safeParse(entry).data ?? []);
  let offset = 0;
  return {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map(({ top_logprobs: others }) =>
      Object.fromEntries(others.map(({ token, logprob }) => [token, logprob])),
    ),
    text_offset: tokens.map(({ token }) => {
      offset += token.length;
      return offset - token.length;
    }),
  };
}

/** Streams an answer of the old `completions`: every event has the format of a whole answer. */
function streamCompletion(_request: HttpRequest, requestTrace: RequestTrace, requestBody: unknown): StreamWriter {
  const includeUsage = readIncludeUsage(readObject(requestBody, ""));
  const { id, created, model } = identifyResponse("cmpl", requestTrace);
  const head = { id, object: "text_completion" as const, created, model, system_fingerprint: null };
  const finished = new Set<number>();
  const write = (choice: Pick<CompletionChoice, "index"> & Partial<CompletionChoice>) => {
    const completion: CompletionResponse = {
      ...head,
      choices: [{ text: "", logprobs: null, finish_reason: null, ...choice }],
      ...(includeUsage ? { usage: null } : {}),
    };
    return formatEvent(completion);
  };
  const finish = (index: number, finish_reason: CompletionChoice["finish_reason"]) => {
    finished.add(index);
    return write({ index, finish_reason });
  };
  const end = (receipt: Receipt) => [
    // Clients wait for the end of the first choice at least.
    ...(finished.has(0) ? [] : [finish(0, "stop")]),
    ...(includeUsage
      ? [formatEvent({ ...head, ...answeringModelsField(receipt), choices: [], usage: toUsage(receipt) })]
      : []),
    STREAM_DONE,
  ];
  return {
    contentType: EVENT_STREAM_TYPE,
    write(part: Part | Receipt) {
      switch (part.type) {
        case "text":
          return write({ index: part.choice ?? 0, text: part.text });
        case "logprobs":
          return write({ index: part.choice ?? 0, logprobs: toCompletionLogprobs(part.content) });
        case "finish":
          return finish(part.choice ?? 0, toCompletionFinishReason(part.reason));
        case "receipt":
          return end(part).join("");
        default:
          return "";
      }
    },
    fail: (fault) => formatEvent(toOpenAiError(fault)),
  };
}

const completionsEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  path: "/openai/v1/completions",
  allowsLargeBody: true,
  summary: "Complete a text, in OpenAI's old form",
  body: completionBody.schema,
  response: completionResponseSchema,
  event: completionResponseSchema,
  answerFields: ["stream_options", "usage"],
  read: readCompletion,
  whole: toCompletionResponse,
  stream: streamCompletion,
};

export const openAiCompletionEndpoints: readonly Endpoint[] = [completionsEndpoint];
