import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { AnswerForm, Conversation, Tool, ToolChoice } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { credentialHeader, type WireRequest } from "../../http/wire-format.ts";
import { DEFAULT_QUIRKS, findCompatibleProvider, type Quirks } from "./compatible-providers.ts";
import { toEmbeddingsBody } from "./embeddings.ts";
import { toImagesBody, toSpeechBody } from "./media.ts";
import { type ConversionContext, toMessages } from "./messages.ts";
import { type Operation, operationOf, operationUrl } from "./operation.ts";
import {
  type PassthroughFields,
  reportUnusedParameters,
  toParameterFields,
  toPassthroughFields,
} from "./parameters.ts";
import { toTranscriptionForm } from "./transcription.ts";

/** The request to a provider of this format. */
export function toOpenAiRequest(call: Omit<ProviderCall, "signal">, credential: Secret | undefined): WireRequest {
  const { model, inference, requestId, onUnsupported = () => undefined } = call;
  const operation = operationOf(call);
  const base = findCompatibleProvider(model.endpoint);
  const quirks = base?.quirks ?? DEFAULT_QUIRKS;
  const streaming = operation === "chat" && inference.streaming && model.streaming;
  reportUnusedParameters(inference.parameters, operation, onUnsupported);
  const { contentType, body } = toBody(operation, call, streaming, { quirks, onUnsupported });
  return {
    url: operationUrl(model, operation, base),
    streaming,
    headers: {
      "content-type": contentType,
      accept: acceptOf(operation, streaming),
      ...toCredential(model, quirks, credential),
      "x-request-id": requestId,
    },
    body,
  };
}

function toBody(
  operation: Operation,
  call: Pick<ProviderCall, "model" | "inference">,
  streaming: boolean,
  conversionContext: ConversionContext,
): { readonly contentType: string; readonly body: string | Buffer } {
  const passed = toPassthroughFields(call.inference, conversionContext);
  const json = (body: object) => ({ contentType: "application/json", body: JSON.stringify(body) });
  switch (operation) {
    case "chat":
      return json(toChatBody(call, passed, streaming, conversionContext));
    case "embeddings":
      return json(toEmbeddingsBody(call, passed));
    case "images":
      return json(toImagesBody(call, passed));
    case "speech":
      return json(toSpeechBody(call, passed));
    case "transcription":
      return toTranscriptionForm(call, passed);
  }
}

function acceptOf(operation: Operation, streaming: boolean): string {
  if (operation === "speech") return "audio/*, application/octet-stream";
  if (operation === "transcription") return "application/json, text/plain";
  return streaming ? "text/event-stream, application/json" : "application/json";
}

function toCredential(model: Model, quirks: Quirks, credential: Secret | undefined): Record<string, string> {
  if (quirks.credentialHeader === undefined || model.authType === "none" || credential === undefined)
    return credentialHeader(model, credential);
  return { [quirks.credentialHeader]: credential.reveal() };
}

/** The body of a chat completion. */
function toChatBody(
  { model, inference }: Pick<ProviderCall, "model" | "inference">,
  passed: PassthroughFields,
  streaming: boolean,
  conversionContext: ConversionContext,
): object {
  const { conversation, parameters } = inference;
  const form = toResponseFormatFields(conversation.answerForm, conversionContext);
  const messages = toMessages(conversation.messages, conversionContext);
  return {
    ...passed,
    model: upstreamNameOf(model),
    messages: form.message === undefined ? messages : [form.message, ...messages],
    ...toParameterFields(parameters, conversionContext),
    ...toToolFields(conversation, conversionContext),
    response_format: form.response_format,
    service_tier: hasBatchPrice(model, inference) ? "flex" : undefined,
    stream: streaming ? true : undefined,
    stream_options:
      streaming && !conversionContext.quirks.unsupported.has("stream_options") ? { include_usage: true } : undefined,
  };
}

/** Whether a batch line was quoted at the model's discount; the provider grants it only for its slower service. */
function hasBatchPrice({ batchDiscount = 0 }: Model, { batch }: Inference): boolean {
  return batch !== undefined && batchDiscount > 0;
}

/** The tools of a conversation and how they may be used. Without tools, the choice is left out. */
function toToolFields(
  { tools, toolChoice, parallelToolCalls }: Conversation,
  { quirks, onUnsupported }: ConversionContext,
): Record<string, unknown> {
  if (tools.length === 0) return {};
  if (tools.some(({ cache }) => cache !== undefined)) onUnsupported("cache_control");
  const keepsChoice = !quirks.unsupported.has("tool_choice");
  if (!keepsChoice && toolChoice !== undefined && toolChoice !== "auto") onUnsupported("tool_choice");
  const keepsParallel = !quirks.unsupported.has("parallel_tool_calls");
  if (!keepsParallel && parallelToolCalls !== undefined) onUnsupported("parallel_tool_calls");
  return {
    tools: tools.map(toTool),
    tool_choice: keepsChoice && toolChoice !== undefined ? toToolChoice(toolChoice) : undefined,
    parallel_tool_calls: keepsParallel ? parallelToolCalls : undefined,
  };
}

function toTool({ name, description, inputSchema, strict }: Tool): object {
  return {
    type: "function",
    function: {
      name,
      description: description === "" ? undefined : description,
      parameters: inputSchema,
      strict,
    },
  };
}

function toToolChoice(choice: ToolChoice): unknown {
  return typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } };
}

/** How the answer's format is requested. */
interface ResponseFormatFields {
  readonly response_format: object | undefined;
  /** An instruction for the model, where there is no field for it. */
  readonly message: object | undefined;
}

/**
 * The answer's format. Where a provider only supports plain JSON mode, the schema goes into the prompt; since it is not
 * enforced then, it counts as unsupported.
 */
function toResponseFormatFields(
  form: AnswerForm | undefined,
  { quirks, onUnsupported }: ConversionContext,
): ResponseFormatFields {
  if (form === undefined) return { response_format: undefined, message: undefined };
  if (form.type === "json") return { response_format: { type: "json_object" }, message: undefined };
  const { name, schema, description, strict } = form;
  if (!quirks.unsupported.has("json_schema")) {
    const response_format = { type: "json_schema", json_schema: { name, description, schema, strict } };
    return { response_format, message: undefined };
  }
  onUnsupported("json_schema");
  const words = `Answer with one JSON object that follows this schema, and with nothing else: ${JSON.stringify(schema)}`;
  return {
    response_format: { type: "json_object" },
    message: { role: "system", content: words },
  };
}
