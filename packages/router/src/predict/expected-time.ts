import type { Model, ModelType } from "@trunkline/core/model.ts";
import type { ExpectedTime, Health, Quote } from "@trunkline/core/route.ts";

/** The default latency of a model without a claim, in milliseconds. */
const DEFAULT_LATENCY_MS: Readonly<Record<ModelType, number>> = {
  text: 2_000,
  multimodal: 3_000,
  embedding: 500,
  image: 10_000,
  audio: 5_000,
};

/** How many measured calls weigh as much as the provider's claim. */
const CLAIM_WEIGHT = 4;

/** A claim is about an answer of this many tokens, and its first token takes this share of the time. */
const CLAIM_OUTPUT_TOKENS = 256;
const FIRST_TOKEN_SHARE = 0.2;

/** Each call in flight adds this share to the time of the first token: fifty calls double it. */
const QUEUE_SHARE = 0.02;

/** If the first part takes nearly as long as the answer, answers come in one piece. */
const UNSTREAMED_SHARE = 0.9;

/** The expected time of a whole answer: the provider's claim, replaced by measurements as they come in. */
export function expectedTime(model: Model, health: Health, quote: Quote): ExpectedTime {
  const claimedMs = claimedLatencyMs(model);
  const tokens = quote.usualOutputTokens;
  const trust = health.calls / (CLAIM_WEIGHT + health.calls);
  const claimedFirstMs = tokens === 0 ? claimedMs : claimedMs * FIRST_TOKEN_SHARE;
  const claimedTokenMs = (claimedMs * (1 - FIRST_TOKEN_SHARE)) / CLAIM_OUTPUT_TOKENS;
  const { latencyMs, firstPartMs, tokensPerSecond } = health;
  if (latencyMs === undefined) return timeForTokens(claimedFirstMs, claimedTokenMs, tokens, health);
  if (tokens > 0 && firstPartMs !== undefined && tokensPerSecond !== undefined) {
    if (firstPartMs < latencyMs * UNSTREAMED_SHARE) {
      const firstMs = blend(claimedFirstMs, firstPartMs, trust);
      return timeForTokens(firstMs, blend(claimedTokenMs, 1_000 / tokensPerSecond, trust), tokens, health);
    }
  }
  return timeForTokens(blend(claimedFirstMs + claimedTokenMs * tokens, latencyMs, trust), 0, tokens, health);
}

/** The provider's claimed latency, or the default for the type of model. */
export function claimedLatencyMs({ avgLatencyMs, type }: Model): number {
  return avgLatencyMs ?? DEFAULT_LATENCY_MS[type];
}

function blend(claimed: number, seen: number, trust: number): number {
  return claimed + (seen - claimed) * trust;
}

function timeForTokens(firstTokenMs: number, tokenMs: number, tokens: number, { inFlight }: Health): ExpectedTime {
  const queueMs = firstTokenMs * QUEUE_SHARE * (inFlight ?? 0);
  return {
    wholeMs: queueMs + firstTokenMs + tokenMs * tokens,
    queueMs,
    firstTokenMs,
    tokensPerSecond: tokenMs > 0 && tokens > 0 ? 1_000 / tokenMs : undefined,
  };
}
