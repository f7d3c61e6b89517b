import type { Inference, Parameters, Thinking } from "@trunkline/core/inference.ts";
import type { OptionalField } from "./compatible-providers.ts";
import type { ConversionContext } from "./messages.ts";
import type { Operation } from "./operation.ts";

/** The parameters of a chat under their names on this wire. What is undefined disappears in the JSON. */
export function toParameterFields(
  parameters: Parameters,
  conversionContext: ConversionContext,
): Record<string, unknown> {
  const { quirks, onUnsupported: onDropped } = conversionContext;
  const unlessLacking = <Value>(optionalField: OptionalField, value: Value | undefined): Value | undefined => {
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
    return budgetTokens === 0 ? { enable_thinking: false } : { enable_thinking: true, thinking_budget: budgetTokens };
  if (budgetTokens !== undefined && effort === undefined) onDropped("thinking");
  return { reasoning_effort: effort };
}

type KnownParameter = Exclude<keyof Parameters, "others">;

const PARAMETER_NAMES: Readonly<Record<KnownParameter, string>> = {
  maxTokens: "max_tokens",
  temperature: "temperature",
  size: "size",
  voice: "voice",
  format: "format",
  topP: "top_p",
  topK: "top_k",
  stop: "stop",
  seed: "seed",
  frequencyPenalty: "frequency_penalty",
  presencePenalty: "presence_penalty",
  choices: "n",
  logprobs: "logprobs",
  thinking: "thinking",
  dimensions: "dimensions",
  pace: "speed",
};

const MEDIA_PARAMETERS: readonly KnownParameter[] = ["size", "voice", "format", "dimensions", "pace"];

/** What each operation has a place for; a chat has one for all that is not about media. */
const USED_PARAMETERS: Readonly<Record<Operation, ReadonlySet<string>>> = {
  chat: new Set(Object.keys(PARAMETER_NAMES).filter((name) => !MEDIA_PARAMETERS.some((ofMedia) => ofMedia === name))),
  embeddings: new Set(["dimensions"]),
  images: new Set(["size", "choices", "format"]),
  speech: new Set(["voice", "format", "pace"]),
  transcription: new Set(["temperature", "format"]),
};

/** Tells which parameters of a request an operation can do nothing with. */
export function reportUnusedParameters(
  parameters: Parameters,
  operation: Operation,
  onDropped: (field: string) => void,
): void {
  for (const [name, field] of Object.entries(PARAMETER_NAMES) as [KnownParameter, string][])
    if (parameters[name] !== undefined && !USED_PARAMETERS[operation].has(name)) onDropped(field);
}

/**
 * What nobody may pass along: fields that the conversion decides by itself, whether or not it sets them this time, and
 * those that make a request dearer than it was quoted.
 */
const CONTROLLED_FIELDS: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "prompt",
  "input",
  "file",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "n",
  "best_of",
  "temperature",
  "top_p",
  "top_k",
  "stop",
  "seed",
  "random_seed",
  "frequency_penalty",
  "presence_penalty",
  "logprobs",
  "top_logprobs",
  "tools",
  "functions",
  "tool_choice",
  "function_call",
  "parallel_tool_calls",
  "response_format",
  "reasoning_effort",
  "reasoning",
  "thinking_budget",
  "dimensions",
  "encoding_format",
  "size",
  "voice",
  "speed",
  "service_tier",
  "web_search_options",
  "enable_search",
  "quality",
]);

/**
 * Parameters of our own API that mean something here and change no price. Anybody may write anything there, and what a
 * provider takes for a field that we have never heard of is nobody's guess: it is left out, and said so.
 */
const PASSTHROUGH_PARAMETERS: ReadonlySet<string> = new Set([
  "background",
  "input_type",
  "instructions",
  "language",
  "length_penalty",
  "logit_bias",
  "metadata",
  "min_p",
  "output_compression",
  "output_dimension",
  "output_format",
  "prompt_cache_key",
  "prompt_mode",
  "repetition_penalty",
  "safe_prompt",
  "safety_identifier",
  "store",
  "style",
  "top_a",
  "truncate",
  "typical_p",
  "user",
  "verbosity",
]);

/** Fields that go out as they came in. They stand before ours in a body, so that ours win. */
export type PassthroughFields = Readonly<Record<string, unknown>>;

/**
 * The fields of a request that are passed on as they came: parameters of our own API that only the provider makes
 * something of, and what a client of this very wire sent. What is not passed is told.
 */
export function toPassthroughFields(
  { parameters, extras }: Inference,
  { quirks: { allowsField: lets = () => true }, onUnsupported: onDropped }: ConversionContext,
): PassthroughFields {
  const passed: Record<string, unknown> = {};
  const take = (fields: Readonly<Record<string, unknown>>, isKnownHere: (name: string) => boolean) => {
    for (const [name, value] of Object.entries(fields)) {
      if (isKnownHere(name) && !CONTROLLED_FIELDS.has(name) && lets(name)) passed[name] = value;
      else onDropped(name);
    }
  };
  take(parameters.others, (name) => PASSTHROUGH_PARAMETERS.has(name));
  if (extras !== undefined) take(extras.fields, () => extras.wire === "openai");
  return passed;
}
