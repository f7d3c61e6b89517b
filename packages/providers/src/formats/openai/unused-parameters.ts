import type { Parameters } from "@trunkline/core/inference.ts";
import type { Operation } from "./operation.ts";

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
  chat: new Set(
    Object.keys(PARAMETER_NAMES).filter((name) => !MEDIA_PARAMETERS.some((ofMedia) => ofMedia === name)),
  ),
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
