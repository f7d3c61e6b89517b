import type { Parameters, Strategy } from "@trunkline/core/inference.ts";
import { z } from "zod";
import { Field } from "../requests/field-table.ts";
import { invalidField, readString } from "../requests/fields.ts";
import { MODEL_NAME_MAX } from "../requests/read-routing-options.ts";

/** The strategies that can be asked for by a model's name, as these clients have no other place for one. */
const AUTO_STRATEGIES: Readonly<Record<string, Strategy | undefined>> = {
  auto: undefined,
  "auto:cost": "cost-optimized",
  "auto:speed": "speed-optimized",
  "auto:quality": "quality-optimized",
};

/** OpenRouter's endings of a model's name: among the providers of the model, the fastest or the cheapest comes first. */
const SUFFIX_STRATEGIES: Readonly<Record<string, Strategy>> = {
  ":nitro": "speed-optimized",
  ":floor": "cost-optimized",
};

/** Every name by which a client leaves the choice of a model to the service. */
export const AUTO_MODEL_NAMES: readonly string[] = Object.keys(AUTO_STRATEGIES);

interface RequestedModel {
  /** undefined: the service chooses. */
  readonly model: string | undefined;
  /** undefined: as the rest of the request, or the account, says. */
  readonly strategy: Strategy | undefined;
}

/** What a client means by `model`. Many model names hold a colon; only the names that start with `auto:` are ours. */
export function readModel(value: unknown, param = "model"): RequestedModel {
  const name = readString(value, param, 1, MODEL_NAME_MAX);
  if (Object.hasOwn(AUTO_STRATEGIES, name)) return { model: undefined, strategy: AUTO_STRATEGIES[name] };
  if (name.startsWith("auto:"))
    throw invalidField(param, `\`${param}\` must be one of ${AUTO_MODEL_NAMES.join(", ")}, or the name of a model.`);
  for (const suffix in SUFFIX_STRATEGIES)
    if (name.endsWith(suffix) && name.length > suffix.length)
      return { model: name.slice(0, -suffix.length), strategy: SUFFIX_STRATEGIES[suffix] };
  return { model: name, strategy: undefined };
}

export const modelField = new Field(readModel, z.string().min(1).max(MODEL_NAME_MAX));

/** The parameters of a request that sets none. */
export const EMPTY_PARAMETERS: Parameters = {
  maxTokens: undefined,
  temperature: undefined,
  size: undefined,
  voice: undefined,
  format: undefined,
  topP: undefined,
  topK: undefined,
  stop: undefined,
  seed: undefined,
  frequencyPenalty: undefined,
  presencePenalty: undefined,
  choices: undefined,
  logprobs: undefined,
  thinking: undefined,
  dimensions: undefined,
  tokens: undefined,
  pace: undefined,
  others: {},
};
