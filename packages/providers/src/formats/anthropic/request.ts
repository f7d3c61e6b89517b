import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { upstreamNameOf } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { credentialHeader } from "../../http/credential-header.ts";
import type { WireRequest } from "../../http/wire-format.ts";
import { toResponseFormatFields } from "./answer-form.ts";
import { toBlocks } from "./blocks.ts";
import { claudeCapabilitiesOf } from "./capabilities.ts";
import { selectExtras } from "./extras.ts";
import { reportUnsupportedParameters, toSamplingFields } from "./sampling.ts";
import { toThinkingFields } from "./thinking.ts";
import { isToolCallForced, toToolFields } from "./tools.ts";
import { toTurns } from "./turns.ts";

const API_VERSION = "2023-06-01";
/** The longest answer where neither the client nor the model sets a limit: the same that is quoted. */
const DEFAULT_MAX_TOKENS = 4_096;

/** What is sent to a provider of the Messages API. */
export function toAnthropicRequest(
  call: Omit<ProviderCall, "signal">,
  credential: Secret | undefined,
): WireRequest {
  const { model, inference, requestId } = call;
  const { conversation, parameters } = inference;
  const drop = (field: string) => call.onUnsupported?.(field);
  const name = upstreamNameOf(model);
  const traits = claudeCapabilitiesOf(name);
  const streaming = inference.streaming && model.streaming;
  const maxTokens = parameters.maxTokens ?? model.maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  const forced = isToolCallForced(conversation);
  const { thinking, effort } = toThinkingFields(
    { thinking: parameters.thinking, maxTokens, forced },
    traits,
    drop,
  );
  const { format, instruction } = toResponseFormatFields(
    conversation.answerForm,
    traits.structuredOutput,
    drop,
  );
  const { instructions, turns } = toTurns(conversation.messages, traits.systemMessages);
  const extras = selectExtras(inference.extras, drop);
  reportUnsupportedParameters(parameters, drop);
  const system = [
    ...toBlocks(instructions, drop),
    ...(instruction === undefined ? [] : [{ type: "text", text: instruction }]),
  ];
  const thinks = thinking !== undefined && thinking.type !== "disabled";
  return {
    url: messagesUrlOf(model.endpoint),
    streaming,
    headers: {
      "content-type": "application/json",
      accept: streaming ? "text/event-stream" : "application/json",
      "anthropic-version": API_VERSION,
      ...(extras.betas.length === 0 ? {} : { "anthropic-beta": extras.betas.join(",") }),
      ...credentialHeader(model, credential),
      "x-request-id": requestId,
    },
    // What is undefined disappears in the JSON.
    body: JSON.stringify({
      ...extras.fields,
      model: name,
      max_tokens: maxTokens,
      system: system.length === 0 ? undefined : system,
      messages: turns
        .map(({ role, content }) => ({ role, content: toBlocks(content, drop) }))
        // Of a turn that was nothing but another model's thoughts there is nothing left.
        .filter(({ content }) => content.length > 0),
      ...toToolFields(conversation, traits, drop),
      ...toSamplingFields(parameters, traits, thinks, drop),
      stop_sequences: parameters.stop,
      thinking,
      output_config: effort === undefined && format === undefined ? undefined : { effort, format },
      stream: streaming ? true : undefined,
    }),
  };
}

/** The address that is posted to, whether or not the base names the version of the API. */
function messagesUrlOf(endpoint: string): string {
  const base = endpoint.replace(/\/+$/, "");
  return /\/v\d+$/.test(base) ? `${base}/messages` : `${base}/v1/messages`;
}
