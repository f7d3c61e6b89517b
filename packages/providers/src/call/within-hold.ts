import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Quote } from "@trunkline/core/route.ts";

/**
 * Where neither the client nor the table of known models sets a limit, a known provider is asked for no more than was
 * set aside: it would take its money for all of it. Whoever registers a model says its limit, or bears what is beyond.
 */
export function capMaxTokens(
  inference: Inference,
  { discovered, ownKey, maxOutputTokens, type }: Model,
  quote: Quote,
): Inference {
  const isOpen = inference.parameters.maxTokens === undefined && maxOutputTokens === undefined;
  const speaks = type === "text" || type === "multimodal";
  if (!isOpen || !speaks || discovered !== true || ownKey === true) return inference;
  return { ...inference, parameters: { ...inference.parameters, maxTokens: quote.maxOutputTokens } };
}
