import type { AnswerOf } from "@trunkline/sdk";
import { type Conversation, newConversation } from "./conversation.ts";
import { AUTO, FIRST_SETTINGS, type Mode } from "./settings.ts";

type PastRequest = AnswerOf<"GET /v1/requests/{id}">;

/** A request from the list as a conversation; undefined where its content was not stored. */
export function conversationOf(request: PastRequest): Conversation | undefined {
  const { content, model, task, path } = request;
  if (content === undefined) return undefined;
  const mode: Mode = /image/.test(`${path} ${task}`)
    ? "image"
    : /audio|speech/.test(`${path} ${task}`)
      ? "speech"
      : "chat";
  const reply = {
    status: "done" as const,
    text: content.output,
    calls: [],
    ...(model === null ? {} : { model }),
    cost: request.cost,
    inputTokens: request.input_tokens,
    outputTokens: request.output_tokens,
    requestId: request.id,
    totalMs: request.latency_ms,
  };
  return {
    ...newConversation({ ...FIRST_SETTINGS, mode, columns: [{ ...AUTO, model: model ?? "auto" }] }),
    turns: [
      { id: request.id, text: content.input, files: [], replies: { [AUTO.id]: content.output === "" ? [] : [reply] } },
    ],
  };
}
