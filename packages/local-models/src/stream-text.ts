import { setImmediate } from "node:timers/promises";
import type { Part } from "@trunkline/core/answer.ts";
import { truncateText } from "@trunkline/core/whole-characters.ts";

const CHARACTERS_PER_TOKEN = 4;

/** A rough count of tokens. The built-in models have no tokenizer, and cost nothing. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** A finished text as a stream: sentence by sentence, no longer than asked for, then what it used. */
export async function* streamText(
  asked: string,
  answer: string,
  maxTokens: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const text = cutToTokens(answer, maxTokens);
  for (const piece of piecesOf(text)) {
    signal.throwIfAborted();
    yield { type: "text", text: piece };
    await setImmediate();
  }
  yield { type: "usage", inputTokens: estimateTokens(asked), outputTokens: estimateTokens(text) };
  yield { type: "finish", reason: text.length < answer.length ? "length" : "stop" };
}

function cutToTokens(text: string, maxTokens: number | undefined): string {
  return truncateText(text, (maxTokens ?? Number.POSITIVE_INFINITY) * CHARACTERS_PER_TOKEN);
}

function piecesOf(text: string): readonly string[] {
  return text.match(/[^\n]+?(?:[.!?…。！？]["')\]]*\s+|\n+|$)|\n+/g) ?? [];
}
