import type { Model, ModelType } from "../domain/model.ts";
import type { Health, Quote } from "../domain/route.ts";

/** What is assumed of a model whose provider says nothing, in milliseconds. */
const ASSUMED_MS: Readonly<Record<ModelType, number>> = {
  text: 2_000,
  multimodal: 3_000,
  embedding: 500,
  image: 10_000,
  audio: 5_000,
};

/** How many own calls weigh as much as the provider's claim. */
const CLAIM_WEIGHT = 4;

/** How long an answer takes as the provider says, or as it is assumed where it says nothing. */
export function claimedLatencyMs({ avgLatencyMs, type }: Model): number {
  return avgLatencyMs ?? ASSUMED_MS[type];
}

/** How long a whole answer of this model will take: the provider's claim, giving way to what was seen. */
export function expectedLatencyMs(model: Model, health: Health, _quote: Quote): number {
  const claimedMs = claimedLatencyMs(model);
  if (health.latencyMs === undefined) return claimedMs;
  return (claimedMs * CLAIM_WEIGHT + health.latencyMs * health.calls) / (CLAIM_WEIGHT + health.calls);
}
