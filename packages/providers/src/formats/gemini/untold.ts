import type { ProviderCall } from "@trunkline/core/adapter.ts";

/** Says which fields of a request Gemini has no place for, whatever else is asked. */
export function reportUnsupported({ inference, model, onUnsupported: onDropped }: ProviderCall): void {
  const { conversation, parameters } = inference;
  const contents = conversation.messages.flatMap(({ content }) => content);
  const untold = {
    cache_control: [...contents, ...conversation.tools].some((piece) => "cache" in piece && piece.cache),
    thinking: contents.some((piece) => piece.type === "thinking" && piece.sealed !== undefined),
    detail: contents.some(
      (piece) => piece.type === "attachment" && piece.detail !== undefined && piece.detail !== "auto",
    ),
    filename: contents.some((piece) => piece.type === "attachment" && piece.name !== undefined),
    parallel_tool_calls: conversation.parallelToolCalls === false,
    strict: conversation.tools.some(({ strict }) => strict === true),
    size: parameters.size !== undefined && model.type !== "image",
    voice: parameters.voice !== undefined,
    format: parameters.format !== undefined,
    speed: parameters.pace !== undefined,
    dimensions: parameters.dimensions !== undefined && model.type !== "embedding",
  };
  for (const [field, isUntold] of Object.entries(untold)) if (isUntold) onDropped?.(field);
  for (const field of Object.keys(parameters.others)) onDropped?.(field);
}
