import type { Parameters } from "@trunkline/core/inference.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import type { ClaudeCapabilities } from "./capabilities.ts";

const TEMPERATURE_MAX = 1;

/** The fields on how words are drawn, as far as the model takes them. */
export function toSamplingFields(
  { temperature, topP, topK }: Parameters,
  traits: ClaudeCapabilities,
  thinks: boolean,
  drop: (field: string) => void,
): JsonObject {
  const fields: Record<string, number> = {};
  const isTaken = traits.sampling !== "none";
  if (temperature !== undefined) {
    // A model that thinks takes no temperature.
    if (!isTaken || thinks || temperature > TEMPERATURE_MAX) drop("temperature");
    if (isTaken && !thinks) fields.temperature = Math.min(temperature, TEMPERATURE_MAX);
  }
  if (topP !== undefined) {
    if (!isTaken || thinks || (traits.sampling === "one" && fields.temperature !== undefined)) drop("top_p");
    else fields.top_p = topP;
  }
  if (topK !== undefined) {
    if (!isTaken || thinks) drop("top_k");
    else fields.top_k = topK;
  }
  return fields;
}

/** Names every parameter that this format has no place for. */
export function reportUnsupportedParameters(parameters: Parameters, drop: (field: string) => void): void {
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
  for (const [name, value] of Object.entries(foreign)) if (value !== undefined) drop(name);
}
