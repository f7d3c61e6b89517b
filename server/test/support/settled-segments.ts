import type { Price } from "@trunkline/core/model.ts";
import { PRICED_BY_SEGMENTS } from "@trunkline/core/parts.ts";
import { priceOf } from "@trunkline/core/price.ts";
import type { ChargedUsage } from "@trunkline/core/usage.ts";
import type { SettledSegment, Settlement } from "../../src/ledger/billing/settlement.ts";
import { sampleSettlement } from "./sample-settlement.ts";

export interface PricedUse {
  readonly model: string;
  readonly price: Price;
  readonly usage: ChargedUsage;
}

/** A request whose legs used this, one after the other, cut at what was held as the service does it. */
export function settlementOfSegments(
  uses: readonly PricedUse[],
  held: bigint,
  change: Partial<Settlement> = {},
): Settlement {
  const legs: SettledSegment[] = [];
  let left = held;
  for (const [index, { model, price, usage }] of uses.entries()) {
    const priced = priceOf(price, usage);
    const cost = priced < left ? priced : left;
    left -= cost;
    legs.push({
      provider: "acme",
      model,
      priceVersion: price.version,
      discount: 0,
      ...usage,
      usageSource: "own",
      cost,
      outcome: index === uses.length - 1 ? "answered" : "cut-off",
    });
  }
  const sum = (read: (leg: SettledSegment) => number) => legs.reduce((total, leg) => total + read(leg), 0);
  return sampleSettlement({
    provider: "acme",
    model: legs.at(-1)?.model,
    priceVersion: PRICED_BY_SEGMENTS,
    usageSource: "own",
    inputTokens: sum((leg) => leg.inputTokens),
    cachedInputTokens: sum((leg) => leg.cachedInputTokens),
    cacheWriteTokens: sum((leg) => leg.cacheWriteTokens),
    outputTokens: sum((leg) => leg.outputTokens),
    images: sum((leg) => leg.images),
    audioMs: sum((leg) => leg.audioMs),
    held,
    cost: held - left,
    legs,
    ...change,
  });
}
