import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { Conversation, Tool } from "@trunkline/core/conversation.ts";
import type { Extras } from "@trunkline/core/inference.ts";
import { isObject, type JsonObject } from "@trunkline/core/json-object.ts";
import { upstreamNameOf } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { credentialHeader, type WireRequest } from "../../http/wire-format.ts";
import { answerToolOf } from "./answer-tool.ts";
import { type ClaudeCapabilities, claudeCapabilitiesOf } from "./capabilities.ts";
import { toBlocks, toCacheControl, toTurns } from "./messages.ts";
import { reportUnsupportedParameters, toSamplingFields, toThinkingFields } from "./parameters.ts";
import { toResponseFormatFields } from "./response-format.ts";

const API_VERSION = "2023-06-01";
const VERTEX_API_VERSION = "vertex-2023-10-16";
const VERTEX_BASE = /\/publishers\/anthropic\/*$/;
/** The longest answer where neither the client nor the model sets a limit: the same as in the quote. */
const DEFAULT_MAX_TOKENS = 4_096;

/** The request to a provider of the Messages API. */
export function toAnthropicRequest(call: Omit<ProviderCall, "signal">, credential: Secret | undefined): WireRequest {
  const { model, inference, requestId } = call;
  const { conversation, parameters } = inference;
  const reportUnsupported = (field: string) => call.onUnsupported?.(field);
  const name = upstreamNameOf(model);
  const traits = claudeCapabilitiesOf(name);
  const streaming = inference.streaming && model.streaming;
  const maxTokens = parameters.maxTokens ?? model.maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  const forced = isToolCallForced(conversation);
  const { thinking, effort } = toThinkingFields(
    { thinking: parameters.thinking, maxTokens, forced },
    traits,
    reportUnsupported,
  );
  const answerTool = answerToolOf(call);
  const { format, instruction } = toResponseFormatFields(
    answerTool === undefined ? conversation.answerForm : undefined,
    traits.structuredOutput,
    reportUnsupported,
  );
  const { instructions, turns } = toTurns(conversation.messages, traits.systemMessages);
  const extras = selectExtras(inference.extras, reportUnsupported);
  reportUnsupportedParameters(parameters, reportUnsupported);
  const system = [
    ...toBlocks(instructions, reportUnsupported),
    ...(instruction === undefined ? [] : [{ type: "text", text: instruction }]),
  ];
  const thinks = thinking !== undefined && thinking.type !== "disabled";
  const isOnVertex = VERTEX_BASE.test(model.endpoint);
  return {
    url: isOnVertex ? vertexUrlOf(model.endpoint, name, streaming) : messagesUrlOf(model.endpoint),
    streaming,
    headers: {
      "content-type": "application/json",
      accept: streaming ? "text/event-stream" : "application/json",
      ...(isOnVertex ? {} : { "anthropic-version": API_VERSION }),
      ...(extras.betas.length === 0 ? {} : { "anthropic-beta": extras.betas.join(",") }),
      ...credentialHeader(model, credential),
      "x-request-id": requestId,
    },
    // JSON.stringify leaves out undefined fields.
    body: JSON.stringify({
      ...extras.fields,
      ...(isOnVertex ? { anthropic_version: VERTEX_API_VERSION } : { model: name }),
      max_tokens: maxTokens,
      system: system.length === 0 ? undefined : system,
      messages: turns
        .map(({ role, content }) => ({ role, content: toBlocks(content, reportUnsupported) }))
        // A turn that consisted only of another model's thinking is empty now.
        .filter(({ content }) => content.length > 0),
      ...(answerTool === undefined
        ? toToolFields(conversation, traits, reportUnsupported)
        : { tools: [answerTool], tool_choice: { type: "tool", name: answerTool.name } }),
      ...toSamplingFields(parameters, traits, thinks, reportUnsupported),
      stop_sequences: parameters.stop,
      thinking,
      output_config: effort === undefined && format === undefined ? undefined : { effort, format },
      stream: streaming ? true : undefined,
    }),
  };
}

/** Google's Vertex AI names the model in the address, and the API's version in the body. */
function vertexUrlOf(endpoint: string, name: string, streaming: boolean): string {
  const url = new URL(endpoint);
  const operation = streaming ? "streamRawPredict" : "rawPredict";
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/models/${encodeURIComponent(name)}:${operation}`;
  return url.href;
}

/** The URL of the API, whether or not the base includes its version. */
function messagesUrlOf(endpoint: string): string {
  const base = endpoint.replace(/\/+$/, "");
  return /\/v\d+$/.test(base) ? `${base}/messages` : `${base}/v1/messages`;
}

type ReportUnsupported = (field: string) => void;

/** Whether the model must call a tool. */
export function isToolCallForced({ toolChoice, tools }: Conversation): boolean {
  return tools.length > 0 && (toolChoice === "required" || typeof toolChoice === "object");
}

/** The request's fields about tools. */
function toToolFields(
  conversation: Conversation,
  traits: ClaudeCapabilities,
  reportUnsupported: ReportUnsupported,
): JsonObject {
  const { tools } = conversation;
  if (tools.length === 0) return {};
  return {
    tools: tools.map((tool) => toWireTool(tool, traits, reportUnsupported)),
    ...toToolChoiceField(conversation, traits, reportUnsupported),
  };
}

function toWireTool(
  { name, description, inputSchema, strict, cache }: Tool,
  traits: ClaudeCapabilities,
  reportUnsupported: ReportUnsupported,
) {
  if (strict === true && !traits.structuredOutput) reportUnsupported("strict");
  return {
    name,
    ...(description === "" ? {} : { description }),
    input_schema: inputSchema ?? { type: "object" },
    ...(strict !== undefined && traits.structuredOutput ? { strict } : {}),
    ...toCacheControl(cache),
  };
}

function toToolChoiceField(
  conversation: Conversation,
  traits: ClaudeCapabilities,
  reportUnsupported: ReportUnsupported,
): JsonObject {
  const { toolChoice, parallelToolCalls } = conversation;
  const oneAtATime = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (toolChoice === "none") return { tool_choice: { type: "none" } };
  if (isToolCallForced(conversation) && !traits.forcedToolChoice) reportUnsupported("tool_choice");
  else if (toolChoice === "required") return { tool_choice: { type: "any", ...oneAtATime } };
  else if (typeof toolChoice === "object")
    return { tool_choice: { type: "tool", name: toolChoice.name, ...oneAtATime } };
  const isSaid = toolChoice === "auto" || parallelToolCalls === false;
  return isSaid ? { tool_choice: { type: "auto", ...oneAtATime } } : {};
}

/** Beta features that change neither the price nor the number of tokens. */
const ALLOWED_BETAS: ReadonlySet<string> = new Set([
  "extended-cache-ttl-2025-04-11",
  "fine-grained-tool-streaming-2025-05-14",
  "interleaved-thinking-2025-05-14",
  "pdfs-2024-09-25",
  "prompt-caching-2024-07-31",
  "structured-outputs-2025-11-13",
  "token-efficient-tools-2025-02-19",
]);

/**
 * Which of a client's own fields are passed to a provider of this same format. Fields that could cost more than was
 * quoted are not.
 */
const EXTRA_FIELD_CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  metadata: (value) => isObject(value) && Object.entries(value).every(isUserId),
  service_tier: (value) => value === "auto" || value === "standard_only",
  cache_control: (value) => isObject(value) && value.type === "ephemeral" && isTtl(value.ttl),
};

interface PassthroughExtras {
  readonly fields: JsonObject;
  readonly betas: readonly string[];
}

/** The fields that are passed on; the others are reported as unsupported. */
function selectExtras(extras: Extras | undefined, reportUnsupported: (field: string) => void): PassthroughExtras {
  const fields: Record<string, unknown> = {};
  const betas: string[] = [];
  for (const [name, value] of Object.entries(extras?.fields ?? {})) {
    if (extras?.wire !== "anthropic") reportUnsupported(name);
    else if (name === "anthropic-beta" || name === "anthropic_beta") {
      for (const beta of betasIn(value)) {
        if (ALLOWED_BETAS.has(beta)) betas.push(beta);
        else reportUnsupported(`anthropic-beta:${beta}`);
      }
    } else if (Object.hasOwn(EXTRA_FIELD_CHECKS, name) && EXTRA_FIELD_CHECKS[name]?.(value) === true)
      fields[name] = value;
    else reportUnsupported(name);
  }
  return { fields, betas };
}

function betasIn(value: unknown): string[] {
  const words = Array.isArray(value) ? value : [value];
  return words
    .flatMap((word) => (typeof word === "string" ? word.split(",") : []))
    .map((word) => word.trim())
    .filter((word) => /^[a-z0-9-]{1,64}$/.test(word));
}

function isUserId([key, value]: [string, unknown]): boolean {
  return key === "user_id" && (value === null || (typeof value === "string" && value.length <= 512));
}

function isTtl(ttl: unknown): boolean {
  return ttl === undefined || ttl === null || ttl === "5m" || ttl === "1h";
}
