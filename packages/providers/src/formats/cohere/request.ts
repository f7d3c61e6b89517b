import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { type AnswerForm, type Conversation, type Tool, textsOf } from "@trunkline/core/conversation.ts";
import { type Parameters, RERANK } from "@trunkline/core/inference.ts";
import { type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { toRerankBody } from "../../http/rerank.ts";
import { credentialHeader, extrasFor, type WireRequest } from "../../http/wire-format.ts";
import { toMessages } from "./messages.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The request to Cohere. */
export function toCohereRequest(call: ProviderCall, credential: Secret | undefined): WireRequest {
  const { model, inference, requestId } = call;
  const streaming = inference.streaming && model.streaming && model.type !== "embedding";
  const embedding = inference.task.word === RERANK ? "rerank" : "embed";
  const operation = model.type === "embedding" ? embedding : "chat";
  reportUnsupported(call);
  return {
    url: operationUrl(model, operation),
    streaming,
    headers: {
      "content-type": "application/json",
      accept: streaming ? "text/event-stream" : "application/json",
      ...credentialHeader(model, credential),
      "x-request-id": requestId,
    },
    body: JSON.stringify(toBody(call, operation, streaming)),
  };
}

type Operation = "chat" | "embed" | "rerank";

function toBody(call: ProviderCall, operation: Operation, streaming: boolean): object {
  if (operation === "rerank") return { ...extrasFor(call, "cohere"), ...toRerankBody(call) };
  return operation === "embed" ? toEmbeddingsBody(call) : toChatBody(call, streaming);
}

function toChatBody(call: ProviderCall, stream: boolean): Fields {
  const { conversation, parameters } = call.inference;
  const { answerForm, tools } = conversation;
  // JSON answers and tools exclude each other there: then the format is requested in the prompt.
  const isFormInWords = answerForm !== undefined && tools.length > 0;
  if (isFormInWords) call.onUnsupported?.("response_format");
  const form = isFormInWords ? [{ role: "system", content: describeResponseFormat(answerForm) }] : [];
  return {
    ...extrasFor(call, "cohere"),
    model: upstreamNameOf(call.model),
    messages: [...form, ...conversation.messages.flatMap(toMessages)],
    stream,
    ...toTools(conversation),
    ...(answerForm === undefined || isFormInWords ? {} : { response_format: toResponseFormat(answerForm) }),
    ...toParameters(parameters),
  };
}

function toParameters(parameters: Parameters): Fields {
  const { thinking } = parameters;
  return {
    max_tokens: parameters.maxTokens,
    temperature: parameters.temperature,
    p: parameters.topP,
    k: parameters.topK,
    stop_sequences: parameters.stop?.slice(0, STOP_MAX),
    seed: parameters.seed,
    frequency_penalty: parameters.frequencyPenalty,
    presence_penalty: parameters.presencePenalty,
    logprobs: parameters.logprobs === undefined ? undefined : true,
    thinking: thinking === undefined ? undefined : toThinking(thinking),
  };
}

function toThinking({ effort, budgetTokens }: NonNullable<Parameters["thinking"]>): Fields {
  if (effort === "none" || budgetTokens === 0) return { type: "disabled" };
  return { type: "enabled", ...(budgetTokens === undefined ? {} : { token_budget: budgetTokens }) };
}

function toTools({ tools, toolChoice }: Conversation): Fields {
  if (tools.length === 0) return {};
  // A single tool can't be chosen: where it is the only one, it is the one that must be called.
  const given = typeof toolChoice === "object" ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  const choice = { auto: undefined, none: "NONE", required: "REQUIRED" } as const;
  return {
    tools: (given.length === 0 ? tools : given).map(toTool),
    tool_choice: typeof toolChoice === "object" ? "REQUIRED" : choice[toolChoice ?? "auto"],
    ...(tools.some(({ strict }) => strict === true) ? { strict_tools: true } : {}),
  };
}

function toTool({ name, description, inputSchema }: Tool): Fields {
  const parameters = inputSchema ?? { type: "object", properties: {} };
  return { type: "function", function: { name, description, parameters } };
}

function toResponseFormat(form: AnswerForm): Fields {
  return { type: "json_object", ...(form.type === "schema" ? { json_schema: form.schema } : {}) };
}

function describeResponseFormat(form: AnswerForm): string {
  if (form.type === "json") return "Unless you call a tool, answer with one JSON object, and with nothing else.";
  return `Unless you call a tool, answer with JSON that follows this schema, and with nothing else: ${JSON.stringify(form.schema)}`;
}

/** The kind of text is required; `search_document` is the best guess without more information. */
function toEmbeddingsBody(call: ProviderCall): Fields {
  const { conversation, parameters } = call.inference;
  return {
    input_type: "search_document",
    ...extrasFor(call, "cohere"),
    model: upstreamNameOf(call.model),
    texts: textsOf(conversation),
    embedding_types: ["float"],
    output_dimension: parameters.dimensions,
  };
}

/** The URL of an operation: below the version in the base, or below version 2. */
function operationUrl({ endpoint }: Pick<Model, "endpoint">, operation: Operation): string {
  const url = new URL(endpoint);
  const base = url.pathname.replace(/\/+$/, "");
  url.pathname = `${base}${/\/v\d+$/.test(base) ? "" : "/v2"}/${operation}`;
  return url.href;
}

/** The highest number of stop sequences. */
const STOP_MAX = 5;

/** Reports request fields that Cohere does not support. */
function reportUnsupported({ inference, model, onUnsupported }: ProviderCall): void {
  const { conversation, parameters } = inference;
  const contents = conversation.messages.flatMap(({ content }) => content);
  const unsupported = {
    n: (parameters.choices ?? 1) > 1,
    top_logprobs: (parameters.logprobs ?? 0) > 0,
    stop: (parameters.stop?.length ?? 0) > STOP_MAX,
    // It is on or off, or has a number of tokens.
    reasoning_effort: !["none", undefined].includes(parameters.thinking?.effort),
    cache_control: [...contents, ...conversation.tools].some((piece) => "cache" in piece && piece.cache),
    thinking: contents.some((piece) => piece.type === "thinking" && piece.sealed !== undefined),
    signature: contents.some((piece) => "signature" in piece && piece.signature !== undefined),
    parallel_tool_calls: conversation.parallelToolCalls === false,
    size: parameters.size !== undefined,
    voice: parameters.voice !== undefined,
    format: parameters.format !== undefined,
    speed: parameters.pace !== undefined,
    dimensions: parameters.dimensions !== undefined && model.type !== "embedding",
  };
  for (const [field, isUnsupported] of Object.entries(unsupported)) if (isUnsupported) onUnsupported?.(field);
  for (const field of Object.keys(parameters.others)) onUnsupported?.(field);
}
