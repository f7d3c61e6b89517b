import type { NanoCredits } from "@trunkline/core/money.ts";
import type { UsageCharge } from "./leg.ts";
import type { SegmentCharge } from "./legs.ts";

/** What is charged for a whole request, and the legs that it is the sum of. */
export interface TotalCharge extends UsageCharge {
  readonly legs: readonly SegmentCharge[];
}

const NO_CHARGE: UsageCharge = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  images: 0,
  audioMs: 0,
  source: "none",
  audioSource: undefined,
  reasoningTokens: 0,
  cost: 0n,
};

/**
 * The legs together, never above what is held: the first legs are paid in full, and the one that the money does not reach
 * for is cut. So the legs add up to the total whatever happens.
 */
export function sumSegments(priced: readonly SegmentCharge[], held: NanoCredits): TotalCharge {
  const legs: SegmentCharge[] = [];
  let total: UsageCharge = NO_CHARGE;
  for (const leg of priced) {
    const left = held - total.cost;
    const paid = { ...leg, cost: leg.cost < left ? leg.cost : left };
    legs.push(paid);
    total = addCharge(total, paid);
  }
  return { ...total, legs };
}

/** Whoever counted something for us to estimate the rest has not counted the whole. */
function addCharge(total: UsageCharge, leg: SegmentCharge): UsageCharge {
  return {
    inputTokens: total.inputTokens + leg.inputTokens,
    cachedInputTokens: total.cachedInputTokens + leg.cachedInputTokens,
    cacheWriteTokens: total.cacheWriteTokens + leg.cacheWriteTokens,
    outputTokens: total.outputTokens + leg.outputTokens,
    images: total.images + leg.images,
    audioMs: total.audioMs + leg.audioMs,
    source: total.source === "none" || total.source === leg.source ? leg.source : "own",
    audioSource: leg.audioSource ?? total.audioSource,
    reasoningTokens: total.reasoningTokens + leg.reasoningTokens,
    cost: total.cost + leg.cost,
  };
}
