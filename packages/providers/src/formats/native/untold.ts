import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { Content } from "@trunkline/core/conversation.ts";
import { extrasFor } from "../../http/extras.ts";

/** Says which fields of a request a provider of our contract can't be told: there is no place for them, nor words. */
export function reportUnsupported(call: Pick<ProviderCall, "inference" | "onUnsupported">): void {
  const { conversation, parameters } = call.inference;
  const contents = conversation.messages.flatMap(({ content }) => content);
  const untold = {
    n: (parameters.choices ?? 1) > 1,
    logprobs: parameters.logprobs !== undefined,
    cache_control: [...contents, ...conversation.tools].some((piece) => "cache" in piece && piece.cache),
    thinking: contents.some((piece) => piece.type === "thinking" && piece.sealed !== undefined),
    signature: contents.some((piece) => "signature" in piece && piece.signature !== undefined),
    detail: contents.some(hasDetail),
    // It can be asked for in words, and promised by nobody.
    strict: [...conversation.tools, conversation.answerForm].some(
      (form) => form !== undefined && "strict" in form && form.strict === true,
    ),
  };
  for (const [field, isUntold] of Object.entries(untold)) if (isUntold) call.onUnsupported?.(field);
  extrasFor(call, "trunkline");
}

function hasDetail(content: Content): boolean {
  return content.type === "attachment" && content.detail !== undefined && content.detail !== "auto";
}
