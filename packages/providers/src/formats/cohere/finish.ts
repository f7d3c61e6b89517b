import type { FinishPart } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { sanitiseMessage } from "../../http/provider-error.ts";

const FINISH_REASONS: Readonly<Record<string, FinishPart["reason"]>> = {
  COMPLETE: "stop",
  STOP_SEQUENCE: "stop",
  MAX_TOKENS: "length",
  TOOL_CALL: "tool-calls",
};

/** Why an answer ended. Throws where it ended because something went wrong. */
export function toFinish(reason: unknown, error: unknown, credential: Secret | undefined): FinishPart {
  if (reason === "ERROR") {
    const words = sanitiseMessage(error, credential);
    const said = words === undefined ? "reported an error" : `reported an error: ${words}`;
    throw new ProviderFailure("broken", said, { said: words });
  }
  if (reason === "TIMEOUT") throw new ProviderFailure("timeout", "ran out of its own time");
  const known =
    typeof reason === "string" && Object.hasOwn(FINISH_REASONS, reason) ? FINISH_REASONS[reason] : undefined;
  return { type: "finish", reason: known ?? "unknown" };
}
