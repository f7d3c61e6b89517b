import type { FinishPart, UsagePart } from "@trunkline/core/answer.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject, isPresent } from "../../http/json-object.ts";

const FINISH_REASONS: Readonly<Record<string, FinishPart["reason"]>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool-calls",
  refusal: "refused",
};

/** Why the model stopped, and by which of the client's own words. */
export function toFinish({ stop_reason: reason, stop_sequence: word }: JsonObject): FinishPart {
  const known =
    typeof reason === "string" && Object.hasOwn(FINISH_REASONS, reason) ? FINISH_REASONS[reason] : undefined;
  return {
    type: "finish",
    reason: known ?? "unknown",
    ...(reason === "stop_sequence" && typeof word === "string" ? { stopSequence: word } : {}),
  };
}

/** The API counts what went into the cache and came out of it apart from the rest of the input. */
export function toUsage(usage: JsonObject): UsagePart {
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  const details = usage.output_tokens_details;
  const thoughts = isObject(details) ? details.thinking_tokens : undefined;
  return {
    type: "usage",
    inputTokens: sumInputTokens(usage.input_tokens, read, written),
    outputTokens: usage.output_tokens,
    ...(isPresent(read) ? { cachedInputTokens: read } : {}),
    ...(isPresent(written) ? { cacheWriteTokens: written } : {}),
    ...(isPresent(thoughts) ? { reasoningTokens: thoughts } : {}),
  };
}

/** All of the input; undefined where one of the counts is none, as half a count is no count. */
export function sumInputTokens(input: unknown, ...caches: readonly unknown[]): number | undefined {
  const counts = [input, ...caches.filter(isPresent)];
  let sum = 0;
  for (const count of counts) {
    if (typeof count !== "number") return undefined;
    sum += count;
  }
  return sum;
}
