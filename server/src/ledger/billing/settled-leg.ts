import type { SegmentOutcome } from "@trunkline/core/leg.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { SegmentCharge } from "./legs.ts";

/** One leg of a request that has several, as it is written. */
export interface SettledSegment {
  readonly provider: string;
  readonly model: string;
  readonly priceVersion: string;
  /** What was taken off the price, in ten-thousandths. */
  readonly discount: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly images: number;
  readonly audioMs: number;
  readonly usageSource: "provider" | "own";
  readonly cost: NanoCredits;
  readonly outcome: SegmentOutcome;
}

/** The legs as they are written: none where there is but one, as the request says it all. */
export function settledSegments(legs: readonly SegmentCharge[]): readonly SettledSegment[] {
  return legs.length > 1 ? legs.map(settledSegment) : [];
}

function settledSegment({ candidate, ...charge }: SegmentCharge): SettledSegment {
  const { model, quote } = candidate;
  return {
    provider: model.provider,
    model: model.name,
    priceVersion: quote.price.version,
    discount: quote.discount ?? 0,
    inputTokens: charge.inputTokens,
    cachedInputTokens: charge.cachedInputTokens,
    cacheWriteTokens: charge.cacheWriteTokens,
    outputTokens: charge.outputTokens,
    images: charge.images,
    audioMs: charge.audioMs,
    usageSource: charge.source === "provider" ? "provider" : "own",
    cost: charge.cost,
    outcome: charge.outcome,
  };
}
