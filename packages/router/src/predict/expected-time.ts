import type { Model, ModelType } from "@trunkline/core/model.ts";
import type { ExpectedTime, Health, Quote } from "@trunkline/core/route.ts";

/** What is assumed of a model whose provider says nothing, in milliseconds. */
const DEFAULT_LATENCY_MS: Readonly<Record<ModelType, number>> = {
  text: 2_000,
  multimodal: 3_000,
  embedding: 500,
  image: 10_000,
  audio: 5_000,
};

/** How many own calls weigh as much as the provider's claim. */
const CLAIM_WEIGHT = 4;

/** A claim is of an answer of this many tokens, and its first token takes this share of it. */
const CLAIM_OUTPUT_TOKENS = 256;
const FIRST_TOKEN_SHARE = 0.2;

/** Every call that is under way adds this share to the wait for the first token: fifty double it. */
const QUEUE_SHARE = 0.02;

/** Where the first part takes nearly as long as the answer, answers come in one piece. */
const UNSTREAMED_SHARE = 0.9;

/** How long a whole answer of this model will take: the provider's claim, giving way to what was seen. */
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

/** How long its answers take as its provider says, or as is usual for its kind. */
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
