import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { isObject, type JsonObject } from "@trunkline/core/json-object.ts";
import { upstreamNameOf } from "@trunkline/core/model.ts";
import { claudeCapabilitiesOf } from "./capabilities.ts";

const NAME = "answer";

/**
 * The tool whose input is the answer, for a model that takes no schema for its answer: older Claudes, and models of other
 * makers. Their calls follow a schema far better than their words do. Undefined where the schema goes another way: beside
 * other tools the model must be free to call those, and a call can't be forced on a model that is asked to think.
 */
export function answerToolOf({ model, inference }: Pick<ProviderCall, "model" | "inference">): JsonObject | undefined {
  const { answerForm, tools } = inference.conversation;
  if (answerForm?.type !== "schema" || tools.length > 0 || !isObject(answerForm.schema)) return undefined;
  // The input of a tool is always an object.
  if (answerForm.schema.type !== "object" || asksToThink(inference)) return undefined;
  const { structuredOutput, forcedToolChoice } = claudeCapabilitiesOf(upstreamNameOf(model));
  if (structuredOutput || !forcedToolChoice) return undefined;
  return { name: NAME, description: answerForm.description ?? "Gives the answer.", input_schema: answerForm.schema };
}

function asksToThink({ parameters: { thinking } }: ProviderCall["inference"]): boolean {
  return thinking !== undefined && thinking.budgetTokens !== 0 && thinking.effort !== "none";
}

/** Whether a block of an answer is a call of that tool. */
export function isAnswerCall({ type, name }: JsonObject): boolean {
  return type === "tool_use" && name === NAME;
}
