import type { Inference } from "@trunkline/core/inference.ts";
import type { ConversionContext } from "./content.ts";

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
