import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { type Clock, systemClock } from "@trunkline/core/clock.ts";
import type { AnswerForm, Conversation, Tool } from "@trunkline/core/conversation.ts";
import type { JsonObject } from "@trunkline/core/json-object.ts";
import { upstreamNameOf } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { credentialHeader, type WireRequest } from "../../http/wire-format.ts";
import { type ClaudeCapabilities, claudeCapabilitiesOf } from "../anthropic/capabilities.ts";
import { toTurns } from "../anthropic/messages.ts";
import { reportUnsupportedParameters, toSamplingFields, toThinkingFields } from "../anthropic/parameters.ts";
import { isToolCallForced } from "../anthropic/request.ts";
import { toResponseFormatFields, toStrictSchema } from "../anthropic/response-format.ts";
import { ContentBlockWriter, toCachePoint } from "./content-blocks.ts";
import { toEmbeddingsBody } from "./embeddings.ts";
import { signHeaders, signingKeyOf } from "./signing.ts";

/**
 * The request to the Converse API, or directly to an embedding model, which Converse does not support. Signed where the
 * credential is a key pair.
 */
export function toBedrockRequest(
  call: Omit<ProviderCall, "signal">,
  credential: Secret | undefined,
  clock: Clock = systemClock,
): WireRequest | Promise<WireRequest> {
  const { model, inference, requestId } = call;
  const isEmbedding = model.type === "embedding";
  const streaming = inference.streaming && model.streaming && !isEmbedding;
  const operation = isEmbedding ? "invoke" : streaming ? "converse-stream" : "converse";
  const base = model.endpoint.replace(/\/+$/, "");
  const url = new URL(`${base}/model/${encodeURIComponent(upstreamNameOf(model))}/${operation}`);
  const body = JSON.stringify(isEmbedding ? toEmbeddingsBody(call) : toConverseBody(call));
  const headers = { "content-type": "application/json" };
  const others = {
    accept: streaming ? "application/vnd.amazon.eventstream" : "application/json",
    "x-request-id": requestId,
  };
  const key = model.authType === "none" || credential === undefined ? undefined : signingKeyOf(credential, url);
  if (key === undefined) {
    const credentialHeaders = credentialHeader(model, credential);
    return { url: url.href, streaming, headers: { ...headers, ...credentialHeaders, ...others }, body };
  }
  return signHeaders(url, body, headers, key, clock.now()).then((signed) => ({
    url: url.href,
    streaming,
    headers: { ...signed, ...others },
    body,
  }));
}

/** The longest answer where neither the client nor the model sets a limit: the same as in the quote. */
const DEFAULT_MAX_TOKENS = 4_096;
/** Vendors besides Anthropic whose models support enforced schemas. */
const STRUCTURED_OUTPUT_VENDORS = /(?:^|\.)(?:qwen|openai|deepseek\.v|google|minimax|moonshot|moonshotai|nvidia)\b/;

/** The body of a Converse request. JSON.stringify leaves out undefined fields. */
export function toConverseBody(call: Omit<ProviderCall, "signal">): JsonObject {
  const { model, inference } = call;
  const { conversation, parameters } = inference;
  const reportUnsupported = (field: string) => call.onUnsupported?.(field);
  const name = upstreamNameOf(model);
  const isClaude = /claude/i.test(name);
  const traits = capabilitiesOf(name, isClaude);
  const maxTokens = parameters.maxTokens ?? model.maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  const forced = isToolCallForced(conversation);
  const { thinking, effort } = toThinkingFields(
    { thinking: parameters.thinking, maxTokens, forced },
    traits,
    reportUnsupported,
  );
  const thinks = thinking !== undefined && thinking.type !== "disabled";
  const sampling = toSamplingFields(parameters, traits, thinks, reportUnsupported);
  if (sampling.top_k !== undefined && !isClaude) reportUnsupported("top_k");
  const { format, instruction } = toResponseFormatFields(
    conversation.answerForm,
    traits.structuredOutput,
    reportUnsupported,
  );
  reportUnsupportedParameters(parameters, reportUnsupported);
  for (const field of Object.keys(inference.extras?.fields ?? {})) reportUnsupported(field);
  const writer = new ContentBlockWriter(reportUnsupported);
  const { instructions, turns } = toTurns(conversation.messages, false);
  const system = [...writer.write(instructions), ...(instruction === undefined ? [] : [{ text: instruction }])];
  const own = {
    top_k: isClaude ? sampling.top_k : undefined,
    thinking,
    output_config: effort === undefined ? undefined : { effort },
  };
  return {
    messages: turns
      .map(({ role, content }) => ({ role, content: writer.write(content) }))
      // A turn that consisted only of another model's thinking is empty now.
      .filter(({ content }) => content.length > 0),
    system: system.length === 0 ? undefined : system,
    inferenceConfig: {
      maxTokens,
      temperature: sampling.temperature,
      topP: sampling.top_p,
      stopSequences: parameters.stop,
    },
    toolConfig: toToolConfig(conversation, traits, reportUnsupported),
    outputConfig: format === undefined ? undefined : toOutputConfig(conversation.answerForm),
    additionalModelRequestFields: Object.values(own).some((value) => value !== undefined) ? own : undefined,
    // The stop sequence that ended the answer is only returned on request.
    additionalModelResponseFieldPaths: isClaude && parameters.stop !== undefined ? ["/stop_sequence"] : undefined,
  };
}

/** Claude accepts the same as at Anthropic; for others it is only known whether they support enforced schemas. */
function capabilitiesOf(name: string, isClaude: boolean): ClaudeCapabilities {
  const traits = claudeCapabilitiesOf(name);
  if (isClaude) return { ...traits, systemMessages: false };
  return { ...traits, thinking: "never", structuredOutput: STRUCTURED_OUTPUT_VENDORS.test(name) };
}

function toOutputConfig(form: AnswerForm | undefined): JsonObject | undefined {
  if (form?.type !== "schema") return undefined;
  const { name, description, schema } = form;
  const jsonSchema = { name, description, schema: JSON.stringify(toStrictSchema(schema)) };
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

/** The tools of a request; undefined where there are none. */
function toToolConfig(
  conversation: Conversation,
  traits: ClaudeCapabilities,
  reportUnsupported: (field: string) => void,
): JsonObject | undefined {
  const { toolChoice, parallelToolCalls } = conversation;
  const called = toolsInHistory(conversation);
  const isNone = toolChoice === "none";
  // The API has no choice "none": where no tool was called yet, the tools are left out.
  const tools = conversation.tools.length > 0 && !(isNone && called.length === 0) ? conversation.tools : called;
  if (tools.length === 0) return undefined;
  if (isNone && conversation.tools.length > 0) reportUnsupported("tool_choice");
  if (parallelToolCalls === false && conversation.tools.length > 0) reportUnsupported("parallel_tool_calls");
  return {
    tools: tools.flatMap((tool) => [{ toolSpec: toToolSpec(tool) }, ...toCachePoint(tool.cache)]),
    ...toToolChoiceField(conversation, traits, reportUnsupported),
  };
}

function toToolSpec({ name, description, inputSchema, strict }: Tool): JsonObject {
  return {
    name,
    ...(description === "" ? {} : { description }),
    inputSchema: { json: inputSchema ?? { type: "object" } },
    ...(strict === true ? { strict } : {}),
  };
}

function toToolChoiceField(
  conversation: Conversation,
  traits: ClaudeCapabilities,
  reportUnsupported: (field: string) => void,
): JsonObject {
  const { toolChoice } = conversation;
  if (isToolCallForced(conversation) && !traits.forcedToolChoice) {
    reportUnsupported("tool_choice");
    return {};
  }
  if (toolChoice === "required" && isToolCallForced(conversation)) return { toolChoice: { any: {} } };
  if (typeof toolChoice === "object" && isToolCallForced(conversation))
    return { toolChoice: { tool: { name: toolChoice.name } } };
  return toolChoice === "auto" ? { toolChoice: { auto: {} } } : {};
}

/** The API refuses a conversation with tool calls that declares no tools, so the ones that were called are declared. */
function toolsInHistory({ messages }: Conversation): Tool[] {
  const calls = messages.flatMap(({ content }) => content.filter((piece) => piece.type === "tool-call"));
  return [...new Set(calls.map(({ name }) => name))].map((name) => ({
    name,
    description: "",
    inputSchema: { type: "object" },
  }));
}
