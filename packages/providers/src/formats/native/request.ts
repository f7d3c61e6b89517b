import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { attachmentsOf, type Content, textsOf } from "@trunkline/core/conversation.ts";
import type { Parameters } from "@trunkline/core/inference.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { credentialHeader, extrasFor, type WireRequest } from "../../http/wire-format.ts";
import { renderConversation } from "./render-conversation.ts";

/** The request to a provider of our own format. */
export function toNativeRequest(call: Omit<ProviderCall, "signal">, credential: Secret | undefined): WireRequest {
  const { model, inference, requestId } = call;
  reportUnsupported(call);
  const streaming = inference.streaming && model.streaming;
  const inputs = model.type === "embedding" ? textsOf(inference.conversation) : [];
  const attachments = attachmentsOf(inference.conversation).map(({ kind, url }) => ({ type: kind, url }));
  return {
    url: model.endpoint,
    streaming,
    headers: {
      "content-type": "application/json",
      accept: streaming ? "application/x-ndjson, text/event-stream, application/json" : "application/json",
      ...credentialHeader(model, credential),
      "x-request-id": requestId,
    },
    body: JSON.stringify({
      input: inputs[0] ?? renderConversation(inference.conversation),
      ...(inputs.length > 1 ? { inputs } : {}),
      parameters: toWireParameters(inference.parameters),
      ...(streaming ? { stream: true } : {}),
      ...(attachments.length === 0 ? {} : { attachments }),
    }),
  };
}

/** Exactly the client's parameters; JSON.stringify leaves out undefined ones. */
function toWireParameters(parameters: Parameters): Record<string, unknown> {
  const { maxTokens, temperature, size, voice, format, others } = parameters;
  return {
    max_tokens: maxTokens,
    temperature,
    size,
    voice,
    format,
    top_p: parameters.topP,
    top_k: parameters.topK,
    stop: parameters.stop?.length === 1 ? parameters.stop[0] : parameters.stop,
    seed: parameters.seed,
    frequency_penalty: parameters.frequencyPenalty,
    presence_penalty: parameters.presencePenalty,
    reasoning_effort: parameters.thinking?.effort,
    thinking_tokens: parameters.thinking?.budgetTokens,
    dimensions: parameters.dimensions,
    speed: parameters.pace,
    ...others,
  };
}

/** Reports request fields that our own format does not support, neither as fields nor in the text. */
function reportUnsupported(call: Pick<ProviderCall, "inference" | "onUnsupported">): void {
  const { conversation, parameters } = call.inference;
  const contents = conversation.messages.flatMap(({ content }) => content);
  const unsupported = {
    n: (parameters.choices ?? 1) > 1,
    logprobs: parameters.logprobs !== undefined,
    cache_control: [...contents, ...conversation.tools].some((piece) => "cache" in piece && piece.cache),
    thinking: contents.some((piece) => piece.type === "thinking" && piece.sealed !== undefined),
    signature: contents.some((piece) => "signature" in piece && piece.signature !== undefined),
    detail: contents.some(hasDetail),
    // A schema can be requested in the text, but not enforced.
    strict: [...conversation.tools, conversation.answerForm].some(
      (form) => form !== undefined && "strict" in form && form.strict === true,
    ),
  };
  for (const [field, isUnsupported] of Object.entries(unsupported)) if (isUnsupported) call.onUnsupported?.(field);
  extrasFor(call, "trunkline");
}

function hasDetail(content: Content): boolean {
  return content.type === "attachment" && content.detail !== undefined && content.detail !== "auto";
}
