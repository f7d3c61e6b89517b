import type { UsagePart } from "@trunkline/core/answer.ts";
import { isObject, isPresent } from "../../http/json-object.ts";

/**
 * What was used. Cohere counts what it bills beside all that its models saw, templates and searches included; the
 * client never sent those, so that what is billed counts, and the rest only where there is no bill.
 */
export function toUsage(usage: unknown): UsagePart[] {
  if (!isObject(usage)) return [];
  const counted = isObject(usage.billed_units) ? usage.billed_units : usage.tokens;
  if (!isObject(counted)) return [];
  const { input_tokens: inputTokens, output_tokens: outputTokens } = counted;
  const cached = usage.cached_tokens;
  const isPart = typeof cached === "number" && typeof inputTokens === "number" && cached <= inputTokens;
  return [
    {
      type: "usage",
      inputTokens,
      outputTokens: isPresent(outputTokens) ? outputTokens : 0,
      ...(isPart ? { cachedInputTokens: cached } : {}),
    },
  ];
}
