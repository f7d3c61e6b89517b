import type { FinishPart } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";

const FINISH_REASONS: Readonly<Record<string, FinishPart["reason"]>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "refused",
  RECITATION: "refused",
  LANGUAGE: "refused",
  BLOCKLIST: "refused",
  PROHIBITED_CONTENT: "refused",
  SPII: "refused",
  IMAGE_SAFETY: "refused",
  IMAGE_PROHIBITED_CONTENT: "refused",
  IMAGE_RECITATION: "refused",
  NO_IMAGE: "refused",
};
/** The model did not do what it set out to: there is no answer to go on with. */
const FAILURE_REASONS: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
]);

/** Why an answer ended. */
export function toFinishReason(reason: unknown, hasCalls: boolean): FinishPart["reason"] {
  if (typeof reason !== "string") return "unknown";
  if (FAILURE_REASONS.has(reason)) {
    const words = `ended its answer with ${reason}, a call of a tool that went wrong`;
    throw new ProviderFailure("broken", words, { blamesEndpoint: false });
  }
  if (reason === "STOP" && hasCalls) return "tool-calls";
  return Object.hasOwn(FINISH_REASONS, reason) ? (FINISH_REASONS[reason] ?? "unknown") : "unknown";
}
