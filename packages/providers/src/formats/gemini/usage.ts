import type { UsagePart } from "@trunkline/core/answer.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isPresent } from "../../http/json-object.ts";

/** What was used. Gemini counts its thoughts beside the rest of its output, and what tools read beside the prompt. */
export function toUsage(metadata: JsonObject): UsagePart {
  const { promptTokenCount, toolUsePromptTokenCount, candidatesTokenCount, thoughtsTokenCount } = metadata;
  const { cachedContentTokenCount: cached } = metadata;
  return {
    type: "usage",
    inputTokens: isPresent(promptTokenCount) ? sum(promptTokenCount, toolUsePromptTokenCount) : undefined,
    outputTokens: sum(candidatesTokenCount, thoughtsTokenCount),
    ...(isPresent(cached) ? { cachedInputTokens: cached } : {}),
    ...(isPresent(thoughtsTokenCount) ? { reasoningTokens: thoughtsTokenCount } : {}),
  };
}

/** What is left out is nothing; what is no number is handed on, as billing judges it. */
function sum(one: unknown, other: unknown): unknown {
  const [first, second] = [one ?? 0, other ?? 0];
  return typeof first === "number" && typeof second === "number" ? first + second : first;
}
