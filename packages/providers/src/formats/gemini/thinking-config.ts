import type { ReasoningEffort, Thinking } from "@trunkline/core/inference.ts";

/** How many tokens an effort is, for models that count. */
const BUDGET_OF_EFFORT: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 512,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
};
/** How an effort is called, for models that have words for it. They can't be kept from thinking altogether. */
const LEVEL_OF_EFFORT: Readonly<Record<ReasoningEffort, string>> = {
  none: "minimal",
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
};
/** The least that a model takes which can't be kept from thinking. */
const PRO_BUDGET_MIN = 128;

/** How much a model thinks: by a level or a budget, as it knows it; undefined where it does not think at all. */
export function toThinkingConfig(
  { effort, budgetTokens }: Thinking,
  model: string,
): Readonly<Record<string, unknown>> | undefined {
  if (/gemini-(1\.|2\.0)|gemma/i.test(model)) return undefined;
  if (budgetTokens === undefined && effort === undefined) return { includeThoughts: true };
  const wanted = budgetTokens ?? BUDGET_OF_EFFORT[effort ?? "medium"];
  const includeThoughts = wanted > 0;
  if (hasThinkingLevels(model) && budgetTokens === undefined)
    return { thinkingLevel: LEVEL_OF_EFFORT[effort ?? "medium"], includeThoughts };
  const least = /gemini-2\.5-pro/i.test(model) ? PRO_BUDGET_MIN : 0;
  return { thinkingBudget: Math.max(wanted, least), includeThoughts };
}

/** Newer models have levels, and want the signatures of their thoughts back. */
export function hasThinkingLevels(model: string): boolean {
  const version = /gemini-(\d+)/i.exec(model)?.[1];
  return version !== undefined && Number(version) >= 3;
}
