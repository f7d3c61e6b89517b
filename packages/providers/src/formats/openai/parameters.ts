import type { Parameters, Thinking } from "@trunkline/core/inference.ts";
import type { ConversionContext } from "./content.ts";
import type { OptionalField } from "./quirks.ts";

/** The parameters of a chat under their names on this wire. What is undefined disappears in the JSON. */
export function toParameterFields(
  parameters: Parameters,
  conversionContext: ConversionContext,
): Record<string, unknown> {
  const { quirks, onUnsupported: onDropped } = conversionContext;
  const unlessLacking = <Value>(
    optionalField: OptionalField,
    value: Value | undefined,
  ): Value | undefined => {
    if (value === undefined || !quirks.unsupported.has(optionalField)) return value;
    onDropped(optionalField);
    return undefined;
  };
  const { topK, stop } = parameters;
  if (topK !== undefined && quirks.topK !== true) onDropped("top_k");
  const logprobs = unlessLacking("logprobs", parameters.logprobs);
  return {
    [quirks.maxTokensField]: parameters.maxTokens,
    temperature: parameters.temperature,
    top_p: parameters.topP,
    top_k: quirks.topK === true ? topK : undefined,
    stop: stop?.length === 1 ? stop[0] : stop,
    [quirks.seedField ?? "seed"]: unlessLacking("seed", parameters.seed),
    frequency_penalty: unlessLacking("frequency_penalty", parameters.frequencyPenalty),
    presence_penalty: unlessLacking("presence_penalty", parameters.presencePenalty),
    n: unlessLacking("n", toChoiceCount(parameters.choices)),
    logprobs: logprobs === undefined ? undefined : true,
    top_logprobs: logprobs === 0 ? undefined : logprobs,
    ...toThinkingFields(parameters.thinking, conversionContext),
  };
}

/** One answer is what everybody gives without being asked, also those who refuse the field. */
function toChoiceCount(choices: number | undefined): number | undefined {
  return choices === 1 ? undefined : choices;
}

/** An effort is known to all. A number of tokens is not: without an effort beside it, it gets lost with most. */
function toThinkingFields(
  thinking: Thinking | undefined,
  { quirks, onUnsupported: onDropped }: ConversionContext,
): Record<string, unknown> {
  if (thinking === undefined) return {};
  const { effort, budgetTokens } = thinking;
  if (budgetTokens !== undefined && quirks.thinkingBudget === "reasoning")
    return { reasoning: budgetTokens === 0 ? { effort: "none" } : { max_tokens: budgetTokens } };
  if (budgetTokens !== undefined && quirks.thinkingBudget === "thinking_budget")
    return budgetTokens === 0
      ? { enable_thinking: false }
      : { enable_thinking: true, thinking_budget: budgetTokens };
  if (budgetTokens !== undefined && effort === undefined) onDropped("thinking");
  return { reasoning_effort: effort };
}
