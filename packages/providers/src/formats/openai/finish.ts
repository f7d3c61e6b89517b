import type { FinishPart } from "@trunkline/core/answer.ts";

/** The words in which providers say why an answer ends. */
const FINISH_REASONS: Readonly<Record<string, FinishPart["reason"]>> = {
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  tool_calls: "tool-calls",
  tool_use: "tool-calls",
  function_call: "tool-calls",
  content_filter: "refused",
  refusal: "refused",
  sensitive: "refused",
};

/** Ends that are none: the provider broke down on the way, whatever it has said until then. */
const FAILURE_REASONS: ReadonlySet<string> = new Set([
  "error",
  "network_error",
  "insufficient_system_resource",
]);

/** Why an answer ends; undefined for a breakdown. */
export function toFinishReason(reason: string): FinishPart["reason"] | undefined {
  if (FAILURE_REASONS.has(reason)) return undefined;
  return (Object.hasOwn(FINISH_REASONS, reason) ? FINISH_REASONS[reason] : undefined) ?? "unknown";
}
