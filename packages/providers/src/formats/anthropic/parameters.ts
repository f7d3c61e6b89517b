import type { Parameters, ReasoningEffort, Thinking } from "@trunkline/core/inference.ts";
import type { JsonObject } from "@trunkline/core/json-object.ts";
import type { ClaudeCapabilities } from "./capabilities.ts";

const TEMPERATURE_MAX = 1;

/** The sampling fields that the model accepts. */
export function toSamplingFields(
  { temperature, topP, topK }: Parameters,
  traits: ClaudeCapabilities,
  thinks: boolean,
  reportUnsupported: (field: string) => void,
): JsonObject {
  const fields: Record<string, number> = {};
  const isTaken = traits.sampling !== "none";
  if (temperature !== undefined) {
    // A thinking model accepts no temperature.
    if (!isTaken || thinks || temperature > TEMPERATURE_MAX) reportUnsupported("temperature");
    if (isTaken && !thinks) fields.temperature = Math.min(temperature, TEMPERATURE_MAX);
  }
  if (topP !== undefined) {
    if (!isTaken || thinks || (traits.sampling === "one" && fields.temperature !== undefined))
      reportUnsupported("top_p");
    else fields.top_p = topP;
  }
  if (topK !== undefined) {
    if (!isTaken || thinks) reportUnsupported("top_k");
    else fields.top_k = topK;
  }
  return fields;
}

/** Reports every parameter that this format does not support. */
export function reportUnsupportedParameters(parameters: Parameters, reportUnsupported: (field: string) => void): void {
  const foreign: Readonly<Record<string, unknown>> = {
    seed: parameters.seed,
    frequency_penalty: parameters.frequencyPenalty || undefined,
    presence_penalty: parameters.presencePenalty || undefined,
    n: parameters.choices === 1 ? undefined : parameters.choices,
    logprobs: parameters.logprobs,
    size: parameters.size,
    voice: parameters.voice,
    format: parameters.format,
    dimensions: parameters.dimensions,
    speed: parameters.pace,
    ...parameters.others,
  };
  for (const [name, value] of Object.entries(foreign)) if (value !== undefined) reportUnsupported(name);
}

/** The lowest budget that the API accepts. */
const BUDGET_MIN = 1_024;
/** The highest share of an answer for thinking, so that some is left for text. */
const THINKING_SHARE_MAX = 0.8;

type ActiveEffort = Exclude<ReasoningEffort, "none">;

const BUDGET_OF_EFFORT: Readonly<Record<ActiveEffort, number>> = {
  minimal: BUDGET_MIN,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
};

interface ThinkingFields {
  /** The field `thinking`; undefined: the model decides. */
  readonly thinking?: JsonObject | undefined;
  /** The field `effort` of `output_config`. */
  readonly effort?: string | undefined;
}

interface ThinkingRequest {
  readonly thinking: Thinking | undefined;
  readonly maxTokens: number;
  /** A tool must be called: the API does not allow thinking before that. */
  readonly forced: boolean;
}

/** How thinking is requested, in the form that the model accepts. */
export function toThinkingFields(
  { thinking, maxTokens, forced }: ThinkingRequest,
  traits: ClaudeCapabilities,
  reportUnsupported: (field: string) => void,
): ThinkingFields {
  if (thinking === undefined) return {};
  const { effort, budgetTokens } = thinking;
  const isOff = budgetTokens === 0 || (budgetTokens === undefined && effort === "none");
  if (isOff) {
    if (traits.alwaysThinks) reportUnsupported("thinking");
    return traits.alwaysThinks || traits.thinking === "never" ? {} : { thinking: { type: "disabled" } };
  }
  const some = effort === undefined || effort === "none" ? effortOf(budgetTokens) : effort;
  if (traits.thinking === "never" || (forced && traits.forcedToolChoice && !traits.alwaysThinks)) {
    reportUnsupported("thinking");
    return {};
  }
  const byBudget = traits.thinking === "budget" || (traits.thinking === "either" && budgetTokens !== undefined);
  if (!byBudget) {
    if (budgetTokens !== undefined) reportUnsupported("thinking_budget");
    return { thinking: { type: "adaptive" }, effort: toWireEffort(some, traits) };
  }
  const budget = budgetWithin(budgetTokens ?? BUDGET_OF_EFFORT[some], maxTokens, budgetTokens === undefined);
  if (budget === undefined) {
    reportUnsupported("thinking");
    return {};
  }
  if (budgetTokens !== undefined && budget !== budgetTokens) reportUnsupported("thinking_budget");
  return { thinking: { type: "enabled", budget_tokens: budget } };
}

/** A budget that the API accepts; undefined where the answer is too short for any. */
function budgetWithin(wanted: number, maxTokens: number, leavesRoom: boolean): number | undefined {
  if (maxTokens <= BUDGET_MIN) return undefined;
  const most = leavesRoom ? Math.floor(maxTokens * THINKING_SHARE_MAX) : maxTokens - 1;
  return Math.max(Math.min(wanted, most), BUDGET_MIN);
}

/** The effort closest to a budget. */
function effortOf(budgetTokens: number | undefined): ActiveEffort {
  if (budgetTokens === undefined) return "medium";
  if (budgetTokens <= BUDGET_OF_EFFORT.low) return "low";
  return budgetTokens <= BUDGET_OF_EFFORT.medium ? "medium" : "high";
}

function toWireEffort(effort: ActiveEffort, traits: ClaudeCapabilities): string {
  if (effort === "minimal") return "low";
  // The first models with an effort did not support this one.
  return effort === "xhigh" && traits.thinking === "either" ? "high" : effort;
}
