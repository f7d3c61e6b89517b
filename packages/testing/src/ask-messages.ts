import type { Conversation, Message, Tool } from "@trunkline/core/conversation.ts";
import { conversationOf } from "@trunkline/core/conversation.ts";
import type { Inference, Parameters } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import { toAnthropicRequest } from "@trunkline/providers/formats/anthropic/request.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "./throwaway-call.ts";

export const SONNET = "claude-sonnet-4-5";
export const OPUS = "claude-opus-4-8";
export const PLAIN = conversationOf("Hello?");
export const LOOK: Tool = { name: "look", description: "Looks.", inputSchema: { type: "object" } };

/** What is sent to a Messages API for a request, and which fields it has no place for. */
export function askMessages(inference: Partial<Inference>, model: Partial<Model> = {}) {
  const dropped: string[] = [];
  const asked = toAnthropicRequest(
    {
      model: makeModel({ upstreamModel: SONNET, ...model }),
      inference: makeInference(inference),
      requestId: "r1",
      onUnsupported: (field) => void dropped.push(field),
    },
    undefined,
  );
  return { ...asked, body: JSON.parse(String(asked.body)), dropped };
}

export const withMessages = (...messages: readonly Message[]) =>
  askMessages({ conversation: { messages, tools: [] } }).body;

export const withParameters = (parameters: Partial<Parameters>, name = SONNET, more: Partial<Conversation> = {}) =>
  askMessages(
    { conversation: { ...PLAIN, ...more }, parameters: { ...NO_PARAMETERS, ...parameters } },
    { upstreamModel: name },
  );

const said = (role: Message["role"]) => (text: string) =>
  ({ role, content: [{ type: "text", text }] }) satisfies Message;
export const user = said("user");
export const assistant = said("assistant");
export const system = said("system");

/** A text as the API takes it. */
export const block = (text: string) => ({ type: "text", text });
