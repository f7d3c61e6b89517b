import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { attachmentsOf, textsOf } from "@trunkline/core/conversation.ts";
import type { Parameters } from "@trunkline/core/inference.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { credentialHeader } from "../../http/credential-header.ts";
import type { WireRequest } from "../../http/wire-format.ts";
import { renderConversation } from "./render-conversation.ts";
import { reportUnsupported } from "./untold.ts";

/** What is sent to a provider that keeps our contract. */
export function toNativeRequest(
  call: Omit<ProviderCall, "signal">,
  credential: Secret | undefined,
): WireRequest {
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

/** Exactly what the client gave; what is undefined disappears in the JSON. */
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
