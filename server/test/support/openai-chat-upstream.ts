import { events, type UpstreamAnswer, type UpstreamRequest } from "./scripted-upstream.ts";

/** What one choice of a scripted answer is. */
export interface ScriptedChoice {
  /** Several texts come as several pieces of a stream. */
  readonly text?: string | readonly string[];
  readonly thoughts?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly logprobs?: readonly unknown[];
  readonly finish?: "stop" | "length" | "tool_calls" | "content_filter";
}

export const CHAT_USAGE = {
  prompt_tokens: 10,
  completion_tokens: 20,
  total_tokens: 30,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 5 },
};

/** A script for an upstream of OpenAI's wire: it answers with these choices, whole or piece by piece, as it is asked to. */
export function answerChat(...choices: readonly ScriptedChoice[]) {
  return (request: UpstreamRequest): UpstreamAnswer =>
    request.json?.stream === true
      ? { headers: { "content-type": "text/event-stream" }, body: streamed(choices) }
      : { body: JSON.stringify(whole(choices)) };
}

const head = { id: "chatcmpl-upstream", created: 1_700_000_000, model: "upstream-model" };

function whole(choices: readonly ScriptedChoice[]) {
  return {
    ...head,
    object: "chat.completion",
    choices: choices.map(({ text, thoughts, calls, logprobs, finish = "stop" }, index) => ({
      index,
      message: {
        role: "assistant",
        content: text === undefined ? null : [text].flat().join(""),
        ...(thoughts === undefined ? {} : { reasoning_content: thoughts }),
        ...(calls === undefined ? {} : { tool_calls: calls.map(callOf) }),
      },
      logprobs: logprobs === undefined ? null : { content: logprobs, refusal: null },
      finish_reason: finish,
    })),
    usage: CHAT_USAGE,
  };
}

function streamed(choices: readonly ScriptedChoice[]): string[] {
  const chunk = (index: number, delta: unknown, more: Record<string, unknown> = {}) => ({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index, delta, finish_reason: null, ...more }],
  });
  const pieces = choices.flatMap(({ text = [], thoughts, calls = [], logprobs, finish = "stop" }, index) => [
    chunk(index, { role: "assistant", content: "" }),
    ...(thoughts === undefined ? [] : [chunk(index, { reasoning_content: thoughts })]),
    ...[text].flat().map((piece) => chunk(index, { content: piece })),
    ...calls.map((call, place) => chunk(index, { tool_calls: [{ index: place, ...callOf(call) }] })),
    ...(logprobs === undefined ? [] : [chunk(index, {}, { logprobs: { content: logprobs } })]),
    chunk(index, {}, { finish_reason: finish }),
  ]);
  return events(...pieces, { ...head, object: "chat.completion.chunk", choices: [], usage: CHAT_USAGE }, "[DONE]");
}

function callOf(call: { readonly id: string; readonly name: string; readonly arguments: string }) {
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.arguments } };
}
