import { attachmentsOf } from "../../domain/conversation.ts";
import type { Parameters, Scalar } from "../../domain/inference.ts";
import type { Model } from "../../domain/model.ts";
import type { ProviderCall } from "../adapter.ts";
import { renderConversation } from "./render-conversation.ts";

/** A request in the form that the provider contract asks for. */
interface ContractRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the provider was asked to answer piece by piece. */
  readonly streaming: boolean;
}

/** What is sent to a provider that keeps our contract. */
export function toContractRequest(call: Omit<ProviderCall, "signal">): ContractRequest {
  const { model, inference, requestId } = call;
  const streaming = inference.streaming && model.streaming;
  const attachments = attachmentsOf(inference.conversation).map(({ kind, url }) => ({ type: kind, url }));
  return {
    streaming,
    headers: {
      "content-type": "application/json",
      accept: streaming ? "application/x-ndjson, text/event-stream, application/json" : "application/json",
      ...credentialHeader(model),
      "x-request-id": requestId,
    },
    body: JSON.stringify({
      input: renderConversation(inference.conversation),
      parameters: toWireParameters(inference.parameters),
      ...(streaming ? { stream: true } : {}),
      ...(attachments.length === 0 ? {} : { attachments }),
    }),
  };
}

function credentialHeader({ authType, credential }: Model): Record<string, string> {
  if (credential === undefined || authType === "none") return {};
  return authType === "bearer"
    ? { authorization: `Bearer ${credential.reveal()}` }
    : { "x-api-key": credential.reveal() };
}

/** Exactly what the client gave; what is undefined disappears in the JSON. */
function toWireParameters(parameters: Parameters): Record<string, Scalar | undefined> {
  const { maxTokens, temperature, size, voice, format, others } = parameters;
  return { ...others, max_tokens: maxTokens, temperature, size, voice, format };
}
