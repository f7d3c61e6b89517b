import type { Parameters } from "@trunkline/core/inference.ts";
import type { Operation } from "./operation.ts";

type Known = Exclude<keyof Parameters, "others">;

const NAMES: Readonly<Record<Known, string>> = {
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

const OF_MEDIA: readonly Known[] = ["size", "voice", "format", "dimensions", "pace"];

/** What each operation has a place for; a chat has one for all that is not about media. */
const USED: Readonly<Record<Operation, ReadonlySet<string>>> = {
  chat: new Set(Object.keys(NAMES).filter((name) => !OF_MEDIA.some((ofMedia) => ofMedia === name))),
  embeddings: new Set(["dimensions"]),
  images: new Set(["size", "choices", "format"]),
  speech: new Set(["voice", "format", "pace"]),
  transcription: new Set(["temperature", "format"]),
};

/** Tells which parameters of a request an operation can do nothing with. */
export function tellUnused(
  parameters: Parameters,
  operation: Operation,
  onDropped: (field: string) => void,
): void {
  for (const [name, field] of Object.entries(NAMES) as [Known, string][])
    if (parameters[name] !== undefined && !USED[operation].has(name)) onDropped(field);
}
