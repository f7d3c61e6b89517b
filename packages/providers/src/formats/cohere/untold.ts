import type { ProviderCall } from "@trunkline/core/adapter.ts";

/** More words that end an answer than these are not taken. */
export const STOP_MAX = 5;

/** Says which fields of a request Cohere has no place for. */
export function reportUnsupported({ inference, model, onUnsupported: onDropped }: ProviderCall): void {
  const { conversation, parameters } = inference;
  const contents = conversation.messages.flatMap(({ content }) => content);
  const untold = {
    n: (parameters.choices ?? 1) > 1,
    top_logprobs: (parameters.logprobs ?? 0) > 0,
    stop: (parameters.stop?.length ?? 0) > STOP_MAX,
    // It is on or off, or has a number of tokens.
    reasoning_effort: !["none", undefined].includes(parameters.thinking?.effort),
    cache_control: [...contents, ...conversation.tools].some((piece) => "cache" in piece && piece.cache),
    thinking: contents.some((piece) => piece.type === "thinking" && piece.sealed !== undefined),
    signature: contents.some((piece) => "signature" in piece && piece.signature !== undefined),
    parallel_tool_calls: conversation.parallelToolCalls === false,
    size: parameters.size !== undefined,
    voice: parameters.voice !== undefined,
    format: parameters.format !== undefined,
    speed: parameters.pace !== undefined,
    dimensions: parameters.dimensions !== undefined && model.type !== "embedding",
  };
  for (const [field, isUntold] of Object.entries(untold)) if (isUntold) onDropped?.(field);
  for (const field of Object.keys(parameters.others)) onDropped?.(field);
}
