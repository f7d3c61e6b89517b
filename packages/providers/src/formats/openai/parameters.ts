import type { Inference, Parameters, Thinking } from "@trunkline/core/inference.ts";
import type { OptionalField } from "./compatible-providers.ts";
import type { ConversionContext } from "./messages.ts";
import type { Operation } from "./operation.ts";

/** The parameters of a chat under their names in this format. JSON.stringify leaves out undefined ones. */
export interface ParameterFields {
  readonly max_tokens: number | undefined;
  readonly max_completion_tokens: number | undefined;
  readonly temperature: number | undefined;
  readonly top_p: number | undefined;
  readonly top_k: number | undefined;
  readonly stop: string | readonly string[] | undefined;
  readonly seed: number | undefined;
  readonly random_seed: number | undefined;
  readonly frequency_penalty: number | undefined;
  readonly presence_penalty: number | undefined;
  readonly n: number | undefined;
  readonly logprobs: true | undefined;
  readonly top_logprobs: number | undefined;
}

export function toParameterFields(parameters: Parameters, conversionContext: ConversionContext): ParameterFields {
  const { quirks, onUnsupported } = conversionContext;
  const { topK, stop, maxTokens } = parameters;
  if (topK !== undefined && quirks.topK !== true) onUnsupported("top_k");
  const logprobs = unlessLacking("logprobs", parameters.logprobs, conversionContext);
  const seed = unlessLacking("seed", parameters.seed, conversionContext);
  return {
    max_tokens: quirks.maxTokensField === "max_tokens" ? maxTokens : undefined,
    max_completion_tokens: quirks.maxTokensField === "max_tokens" ? undefined : maxTokens,
    temperature: parameters.temperature,
    top_p: parameters.topP,
    top_k: quirks.topK === true ? topK : undefined,
    stop: stop?.length === 1 ? stop[0] : stop,
    seed: quirks.seedField === undefined ? seed : undefined,
    random_seed: quirks.seedField === undefined ? undefined : seed,
    frequency_penalty: unlessLacking("frequency_penalty", parameters.frequencyPenalty, conversionContext),
    presence_penalty: unlessLacking("presence_penalty", parameters.presencePenalty, conversionContext),
    n: unlessLacking("n", toChoiceCount(parameters.choices), conversionContext),
    logprobs: logprobs === undefined ? undefined : true,
    top_logprobs: logprobs === 0 ? undefined : logprobs,
  };
}

function unlessLacking<Value>(
  optionalField: OptionalField,
  value: Value | undefined,
  { quirks, onUnsupported }: ConversionContext,
): Value | undefined {
  if (value === undefined || !quirks.unsupported.has(optionalField)) return value;
  onUnsupported(optionalField);
  return undefined;
}

/** One answer is the default, also of providers that refuse the field. */
function toChoiceCount(choices: number | undefined): number | undefined {
  return choices === 1 ? undefined : choices;
}

/**
 * All providers support an effort. Most do not support a number of tokens: without an effort beside it, it is dropped.
 */
export function toThinkingFields(
  thinking: Thinking | undefined,
  { quirks, onUnsupported }: ConversionContext,
): Record<string, unknown> | undefined {
  if (thinking === undefined) return undefined;
  const { effort, budgetTokens } = thinking;
  if (budgetTokens !== undefined && quirks.thinkingBudget === "reasoning")
    return { reasoning: budgetTokens === 0 ? { effort: "none" } : { max_tokens: budgetTokens } };
  if (budgetTokens !== undefined && quirks.thinkingBudget === "thinking_budget")
    return budgetTokens === 0 ? { enable_thinking: false } : { enable_thinking: true, thinking_budget: budgetTokens };
  if (budgetTokens !== undefined && effort === undefined) onUnsupported("thinking");
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
  tokens: "input",
  pace: "speed",
};

const MEDIA_PARAMETERS: readonly KnownParameter[] = ["size", "voice", "format", "dimensions", "tokens", "pace"];

/** The parameters that each operation supports; a chat supports all that are not about media. */
const USED_PARAMETERS: Readonly<Record<Operation, ReadonlySet<string>>> = {
  chat: new Set(Object.keys(PARAMETER_NAMES).filter((name) => !MEDIA_PARAMETERS.some((ofMedia) => ofMedia === name))),
  embeddings: new Set(["dimensions", "tokens"]),
  rerank: new Set(),
  images: new Set(["size", "choices", "format"]),
  "image-edits": new Set(["size", "choices", "format"]),
  "image-variations": new Set(["size", "choices", "format"]),
  speech: new Set(["voice", "format", "pace"]),
  transcription: new Set(["temperature", "format"]),
  translation: new Set(["temperature", "format"]),
};

/** The parameters that each operation does not support, with the names of their fields. */
const UNUSED_PARAMETERS = new Map(
  (Object.keys(USED_PARAMETERS) as Operation[]).map((operation) => [
    operation,
    (Object.entries(PARAMETER_NAMES) as [KnownParameter, string][]).filter(
      ([name]) => !USED_PARAMETERS[operation].has(name),
    ),
  ]),
);

/** Reports the parameters of a request that an operation does not support. */
export function reportUnusedParameters(
  parameters: Parameters,
  operation: Operation,
  onUnsupported: (field: string) => void,
): void {
  for (const [name, field] of UNUSED_PARAMETERS.get(operation) ?? [])
    if (parameters[name] !== undefined) onUnsupported(field);
}

/**
 * Fields that are never passed through: those that the conversion sets itself, whether or not it does so this time, and
 * those that make a request cost more than quoted.
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
 * Parameters of our own API that have a meaning here and change no price. Clients may send anything there, and a
 * provider may react to an unknown field in any way: others are left out and reported.
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

/** Fields that are sent unchanged. They come before ours in a body, so that ours win. */
export type PassthroughFields = Readonly<Record<string, unknown>>;

/**
 * The fields of a request that are passed through: parameters of our own API that only the provider interprets, and
 * fields of a client of this same format. The others are reported.
 */
export function toPassthroughFields(inference: Inference, conversionContext: ConversionContext): PassthroughFields {
  const { parameters, extras } = inference;
  // Nearly all requests have none.
  return extras === undefined && !hasMembers(parameters.others)
    ? NOTHING_PASSED
    : passThrough(inference, conversionContext);
}

function hasMembers(others: Parameters["others"]): boolean {
  for (const name in others) if (Object.hasOwn(others, name)) return true;
  return false;
}

function passThrough(
  { parameters, extras }: Inference,
  { quirks: { allowsField }, onUnsupported }: ConversionContext,
): PassthroughFields {
  let passed: Record<string, unknown> | undefined;
  const take = (name: string, value: unknown, isKnownHere: boolean) => {
    if (isKnownHere && !CONTROLLED_FIELDS.has(name) && (allowsField === undefined || allowsField(name))) {
      passed ??= {};
      passed[name] = value;
    } else onUnsupported(name);
  };
  for (const name of Object.keys(parameters.others))
    take(name, parameters.others[name], PASSTHROUGH_PARAMETERS.has(name));
  if (extras !== undefined)
    for (const name of Object.keys(extras.fields)) take(name, extras.fields[name], extras.wire === "openai");
  return passed ?? NOTHING_PASSED;
}

export const NOTHING_PASSED: PassthroughFields = {};
