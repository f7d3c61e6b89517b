import type { UsagePart } from "@trunkline/core/answer.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { objectField } from "../../http/json-object.ts";

/**
 * What a provider says it used. Chats call it prompt and completion, pictures and speech call it input and output, and
 * each of those who keep a cache has a place of its own for what came out of it.
 */
export function toUsage(usage: JsonObject): UsagePart {
  const inputDetails = objectField(
    usage,
    "input_tokens" in usage ? "input_tokens_details" : "prompt_tokens_details",
  );
  const outputDetails = objectField(
    usage,
    "output_tokens" in usage ? "output_tokens_details" : "completion_tokens_details",
  );
  const inputTokens = usage.prompt_tokens ?? usage.input_tokens;
  const reasoningTokens = outputDetails.reasoning_tokens ?? undefined;
  const outputTokens = usage.completion_tokens ?? usage.output_tokens;
  const cachedInputTokens =
    inputDetails.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ?? undefined;
  const cacheWriteTokens = inputDetails.cache_write_tokens ?? undefined;
  const seconds = usage.seconds ?? undefined;
  return {
    type: "usage",
    inputTokens,
    outputTokens: withReasoningTokens(usage.total_tokens, inputTokens, outputTokens, reasoningTokens),
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(seconds === undefined ? {} : { seconds }),
  };
}

/** Some count thoughts beside the output and not as a part of it. Their total gives them away. */
function withReasoningTokens(total: unknown, input: unknown, output: unknown, thoughts: unknown): unknown {
  const areNumbers = [total, input, output, thoughts].every((count) => typeof count === "number");
  if (!areNumbers || thoughts === 0) return output;
  const sum = Number(output) + Number(thoughts);
  return total === Number(input) + sum ? sum : output;
}
