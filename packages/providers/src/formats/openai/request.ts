import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { AnswerForm, Conversation, Tool, ToolChoice } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { JsonText } from "@trunkline/core/json-text.ts";
import { type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { AccessToken } from "../../credentials/cloud-credential.ts";
import { toRerankBody } from "../../http/rerank.ts";
import type { WireRequest } from "../../http/wire-format.ts";
import { DEFAULT_QUIRKS, findCompatibleProvider, type Quirks } from "./compatible-providers.ts";
import { toEmbeddingsBody } from "./embeddings.ts";
import { toImagesBody, toImagesForm, toSpeechBody } from "./media.ts";
import { addPlainMessages, arePlain, type ConversionContext, toMessages } from "./messages.ts";
import { type Operation, operationOf, operationUrl } from "./operation.ts";
import {
  NOTHING_PASSED,
  type PassthroughFields,
  reportUnusedParameters,
  toParameterFields,
  toPassthroughFields,
  toThinkingFields,
} from "./parameters.ts";
import { toTranscriptionForm } from "./transcription.ts";

/** The request to a provider of this format. */
export function toOpenAiRequest(call: Omit<ProviderCall, "signal">, credential: Secret | undefined): WireRequest {
  const { model, inference, requestId, onUnsupported = () => undefined } = call;
  const operation = operationOf(call);
  const address = addressOf(model, operation);
  const conversionContext = { quirks: address.quirks, onUnsupported };
  const streaming = operation === "chat" && inference.streaming && model.streaming;
  reportUnusedParameters(inference.parameters, operation, onUnsupported);
  const { contentType, body, bodyBytes } = toBody(operation, call, streaming, conversionContext);
  const accept = acceptOf(operation, streaming);
  const headers = toHeaders(contentType, accept, requestId, model, address.quirks, credential);
  return { url: address.url, streaming, headers, body, bodyBytes };
}

interface WrittenBody extends Pick<WireRequest, "body" | "bodyBytes"> {
  readonly contentType: string;
}

function json(body: object): WrittenBody {
  return { contentType: "application/json", body: JSON.stringify(body) };
}

/** Where a model's calls of one operation go. */
interface OperationAddress {
  readonly operation: Operation;
  readonly url: string;
  readonly quirks: Quirks;
  /** How the body of a plain chat begins. */
  readonly chatStart: string;
}

/** A model is replaced when it changes, so that what follows from it is found once. */
const addresses = new WeakMap<Model, OperationAddress>();

function addressOf(model: Model, operation: Operation): OperationAddress {
  const known = addresses.get(model);
  if (known?.operation === operation) return known;
  const base = findCompatibleProvider(model.endpoint);
  const quirks = base?.quirks ?? DEFAULT_QUIRKS;
  const chatStart = `{"model":${JSON.stringify(upstreamNameOf(model))},"messages":[`;
  const address = { operation, url: operationUrl(model, operation, base), quirks, chatStart };
  addresses.set(model, address);
  return address;
}

function toBody(
  operation: Operation,
  call: Pick<ProviderCall, "model" | "inference">,
  streaming: boolean,
  conversionContext: ConversionContext,
): WrittenBody {
  const passed = toPassthroughFields(call.inference, conversionContext);
  switch (operation) {
    case "chat":
      return toChatBody(call, passed, streaming, conversionContext);
    case "embeddings":
      return json(toEmbeddingsBody(call, passed));
    case "rerank":
      return json({ ...passed, ...toRerankBody(call) });
    case "images":
      return json(toImagesBody(call, passed));
    case "image-edits":
    case "image-variations":
      return toImagesForm(call, passed);
    case "speech":
      return json(toSpeechBody(call, passed));
    case "transcription":
    case "translation":
      return toTranscriptionForm(call, passed);
  }
}

function acceptOf(operation: Operation, streaming: boolean): string {
  if (operation === "speech") return "audio/*, application/octet-stream";
  if (operation === "transcription" || operation === "translation") return "application/json, text/plain";
  return streaming ? "text/event-stream, application/json" : "application/json";
}

function toHeaders(
  contentType: string,
  accept: string,
  requestId: string,
  model: Model,
  quirks: Quirks,
  credential: Secret | undefined,
): Record<string, string> {
  const authorization = authorizationFor(model, quirks, credential);
  // Most providers want a bearer. An object made with all its members takes less memory than one that grows.
  if (authorization !== undefined)
    return { "content-type": contentType, accept, "x-request-id": requestId, authorization };
  const headers = { "content-type": contentType, accept, "x-request-id": requestId };
  addCredential(headers, model, quirks, credential);
  return headers;
}

/** The credential as a bearer; undefined where there is none, or where it goes into another header. */
function authorizationFor(
  { authType }: Model,
  { credentialHeader }: Quirks,
  credential: Secret | undefined,
): string | undefined {
  if (credential === undefined || authType === "none") return undefined;
  const isBearer = credential instanceof AccessToken || (credentialHeader === undefined && authType === "bearer");
  return isBearer ? bearerOf(credential) : undefined;
}

function addCredential(
  headers: Record<string, string>,
  model: Model,
  quirks: Quirks,
  credential: Secret | undefined,
): void {
  const authorization = authorizationFor(model, quirks, credential);
  if (authorization !== undefined) headers.authorization = authorization;
  else if (credential !== undefined && model.authType !== "none")
    headers[quirks.credentialHeader ?? "x-api-key"] = credential.reveal();
}

const bearers = new WeakMap<Secret, string>();

/** Made once for each key, so that the dialer knows it again. */
function bearerOf(credential: Secret): string {
  const known = bearers.get(credential);
  if (known !== undefined) return known;
  const bearer = `Bearer ${credential.reveal()}`;
  bearers.set(credential, bearer);
  return bearer;
}

/** The address at which a model is talked with, and the headers that open it. */
export function toRealtimeRequest(
  model: Model,
  credential: Secret | undefined,
): { readonly url: string; readonly headers: Readonly<Record<string, string>> } {
  const base = findCompatibleProvider(model.endpoint);
  const url = new URL(operationUrl(model, "realtime", base));
  url.searchParams.set("model", upstreamNameOf(model));
  const headers: Record<string, string> = {};
  addCredential(headers, model, base?.quirks ?? DEFAULT_QUIRKS, credential);
  return { url: url.href, headers };
}

/** The body of a chat completion. */
function toChatBody(
  { model, inference }: Pick<ProviderCall, "model" | "inference">,
  passed: PassthroughFields,
  streaming: boolean,
  conversionContext: ConversionContext,
): WrittenBody {
  const { conversation, parameters } = inference;
  const form = toResponseFormatFields(conversation.answerForm, conversionContext);
  // Nearly all requests have plain messages alone, which are written without an object for each.
  const isPlain = passed === NOTHING_PASSED && form.message === undefined && arePlain(conversation.messages);
  const messages = isPlain ? undefined : toMessages(conversation.messages, conversionContext);
  const fields = toParameterFields(parameters, conversionContext);
  const thinking = toThinkingFields(parameters.thinking, conversionContext);
  const tools = toToolFields(conversation, conversionContext);
  const more = toOtherFields(model, inference, tools, form.response_format, streaming, conversionContext);
  if (messages !== undefined) {
    const sent = form.message === undefined ? messages : [form.message, ...messages];
    return json({ ...passed, model: upstreamNameOf(model), messages: sent, ...fields, ...more, ...thinking });
  }
  const written = new JsonText();
  written.add(addressOf(model, "chat").chatStart);
  addPlainMessages(written, conversation.messages);
  written.addAscii("]");
  // Each by itself, as one object of them all would be made and written slowly. They have no field in common.
  addFields(written, fields);
  if (more !== undefined) addFields(written, more);
  if (thinking !== undefined) addFields(written, thinking);
  written.addAscii("}");
  return { contentType: "application/json", body: written.text, bodyBytes: written.bytes };
}

/** Adds the fields of an object to another one that has fields already. */
function addFields(written: JsonText, fields: object): void {
  const json = JSON.stringify(fields);
  if (json !== "{}") written.add(`,${json.slice(1, -1)}`);
}

/** The fields of a chat besides its messages and parameters; undefined where it has none. */
function toOtherFields(
  model: Model,
  inference: Inference,
  tools: ToolFields | undefined,
  responseFormat: object | undefined,
  streaming: boolean,
  { quirks }: ConversionContext,
): object | undefined {
  const isFlexible = hasBatchPrice(model, inference);
  if (tools === undefined && responseFormat === undefined && !streaming && !isFlexible) return undefined;
  return {
    tools: tools?.tools,
    tool_choice: tools?.tool_choice,
    parallel_tool_calls: tools?.parallel_tool_calls,
    response_format: responseFormat,
    service_tier: isFlexible ? "flex" : undefined,
    stream: streaming ? true : undefined,
    stream_options: streaming && !quirks.unsupported.has("stream_options") ? { include_usage: true } : undefined,
  };
}

/** Whether a batch line was quoted at the model's discount; the provider grants it only for its slower service. */
function hasBatchPrice({ batchDiscount = 0 }: Model, { batch }: Inference): boolean {
  return batch !== undefined && batchDiscount > 0;
}

interface ToolFields {
  readonly tools: readonly object[];
  readonly tool_choice: unknown;
  readonly parallel_tool_calls: boolean | undefined;
}

/** The tools of a conversation and how they may be used. Without tools, the choice is left out. */
function toToolFields(
  { tools, toolChoice, parallelToolCalls }: Conversation,
  { quirks, onUnsupported }: ConversionContext,
): ToolFields | undefined {
  if (tools.length === 0) return undefined;
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

const NO_FORM: ResponseFormatFields = { response_format: undefined, message: undefined };

/**
 * The answer's format. Where a provider only supports plain JSON mode, the schema goes into the prompt; since it is not
 * enforced then, it counts as unsupported.
 */
function toResponseFormatFields(
  form: AnswerForm | undefined,
  { quirks, onUnsupported }: ConversionContext,
): ResponseFormatFields {
  if (form === undefined) return NO_FORM;
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
