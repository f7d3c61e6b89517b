import type { FinishPart, UsagePart } from "@trunkline/core/answer.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject } from "../../http/json-object.ts";
import { sumInputTokens } from "../anthropic/usage.ts";

const FINISH_REASONS: Readonly<Record<string, FinishPart["reason"]>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool-calls",
  content_filtered: "refused",
  guardrail_intervened: "refused",
};

/** Why the model stopped, in a whole answer or in the event that ends one. */
export function toFinish({ stopReason, additionalModelResponseFields: own }: JsonObject): FinishPart {
  const known =
    typeof stopReason === "string" && Object.hasOwn(FINISH_REASONS, stopReason)
      ? FINISH_REASONS[stopReason]
      : undefined;
  const word = isObject(own) ? own.stop_sequence : undefined;
  return {
    type: "finish",
    reason: known ?? "unknown",
    ...(stopReason === "stop_sequence" && typeof word === "string" ? { stopSequence: word } : {}),
  };
}

/** The API counts what went into the cache and came out of it apart from the rest of the input. */
export function toUsage(usage: JsonObject): UsagePart {
  const { inputTokens, outputTokens, cacheReadInputTokens: read, cacheWriteInputTokens: written } = usage;
  return {
    type: "usage",
    inputTokens: sumInputTokens(inputTokens, read, written),
    outputTokens,
    ...(typeof read === "number" ? { cachedInputTokens: read } : {}),
    ...(typeof written === "number" ? { cacheWriteTokens: written } : {}),
  };
}
