import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { type Conversation, conversationOf, type Message } from "@trunkline/core/conversation.ts";
import type { Inference, Parameters } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { WireRequest } from "@trunkline/providers/http/wire-format.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "./throwaway-call.ts";

/** What a format makes of requests to one model: the request as it is sent, and which fields it has no place for. */
export function requestsIn(
  format: { request(call: ProviderCall, credential: Secret | undefined): WireRequest },
  usual: Partial<Model>,
) {
  const send = (inference: Partial<Inference>, model: Partial<Model> = {}) => {
    const dropped: string[] = [];
    const call = {
      model: makeModel({ ...usual, ...model }),
      inference: makeInference(inference),
      requestId: "r1",
      signal: new AbortController().signal,
      onUnsupported: (field: string) => void dropped.push(field),
    };
    const request = format.request(call, call.model.credential);
    if (request instanceof Promise) throw new Error("This format takes its time.");
    const { url, headers, body, streaming } = request;
    return { url, headers, streaming, body: JSON.parse(String(body)), dropped: dropped.toSorted() };
  };
  return {
    send,
    sendTalk: (more: Partial<Conversation>, model: Partial<Model> = {}) =>
      send({ conversation: { ...conversationOf("Hi."), ...more } }, model),
    ask: (parameters: Partial<Parameters>, model: Partial<Model> = {}) =>
      send({ parameters: { ...NO_PARAMETERS, ...parameters } }, model),
  };
}

export const say = (role: Message["role"], ...content: Message["content"]): Message => ({ role, content });
export const text = (words: string) => ({ type: "text" as const, text: words });
