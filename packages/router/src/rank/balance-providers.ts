import { type Price, weightOf } from "@trunkline/core/model.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { EligibleModel } from "../candidates/eligibility.ts";
import { isHealthy, isWithinTimeFactor, type RankedTier } from "./rank-models.ts";

/** Differences up to these decide nothing between two providers of one and the same model. */
const SAME_COST_FACTOR = 1.01;
const SAME_TIME_FACTOR = 1.2;
const SAME_QUALITY_MARGIN = 0.03;

/**
 * Lets the providers of one model that are equal draw their places by their weights, so that the load is spread.
 * Equals stand next to each other in the ranking, and each is equal to the first of them.
 */
export function balanceEqualProviders(ranked: readonly EligibleModel[], random: Random): RankedTier {
  let eligibleModels: EligibleModel[] | undefined;
  let equals = 1;
  let propensity = 1;
  for (let start = 0; start < ranked.length - 1; ) {
    const end = endOfEqualRun(ranked, start);
    if (end - start > 1) {
      eligibleModels ??= [...ranked];
      const share = shuffleByWeight(eligibleModels, start, end, random);
      if (start === 0) [equals, propensity] = [end, share];
    }
    start = end;
  }
  return { eligibleModels: eligibleModels ?? ranked, best: ranked[0], tiedCount: equals, propensity };
}

/** Where those end that are equal to the one at the start. */
function endOfEqualRun(ranked: readonly EligibleModel[], start: number): number {
  const first = ranked[start];
  let end = start + 1;
  if (first === undefined || ranked[end]?.model.name !== first.model.name || !isHealthy(first)) return end;
  for (let other = ranked[end]; other !== undefined && areInterchangeable(first, other); other = ranked[end]) end++;
  return end;
}

function areInterchangeable(one: EligibleModel, other: EligibleModel): boolean {
  return (
    one.model.name === other.model.name &&
    // Two ways to one provider, by the account's own key and by ours, are no two providers.
    one.model.provider !== other.model.provider &&
    one.model.ownKey === other.model.ownKey &&
    one.fit === other.fit &&
    isHealthy(other) &&
    areWithin(Number(one.quote.estimate), Number(other.quote.estimate), SAME_COST_FACTOR) &&
    haveSamePrices(one.quote.price, other.quote.price) &&
    isWithinTimeFactor(one, other, SAME_TIME_FACTOR) &&
    isWithinTimeFactor(other, one, SAME_TIME_FACTOR) &&
    Math.abs(one.prediction.quality - other.prediction.quality) <= SAME_QUALITY_MARGIN
  );
}

/** An answer may be longer than was estimated, and then each figure of the price tells. */
function haveSamePrices(one: Price, other: Price): boolean {
  const isAlike = (a: bigint, b: bigint) => areWithin(Number(a), Number(b), SAME_COST_FACTOR);
  return (
    isAlike(one.inputPerMillion, other.inputPerMillion) &&
    isAlike(one.outputPerMillion, other.outputPerMillion) &&
    isAlike(cachedPriceOf(one), cachedPriceOf(other)) &&
    isAlike(one.cacheWritePerMillion ?? one.inputPerMillion, other.cacheWritePerMillion ?? other.inputPerMillion) &&
    isAlike(one.perImage, other.perImage) &&
    isAlike(one.perRequest, other.perRequest) &&
    isAlike(one.perSecond, other.perSecond)
  );
}

function cachedPriceOf({ cachedInputPerMillion, inputPerMillion }: Price): bigint {
  return cachedInputPerMillion ?? inputPerMillion;
}

function areWithin(one: number, other: number, factor: number): boolean {
  return one <= other * factor && other <= one * factor;
}

/** Draws place after place among the equals that are left, in place. Returns how likely the first of the draws was. */
function shuffleByWeight(order: EligibleModel[], start: number, end: number, random: Random): number {
  let left = 0;
  for (let index = start; index < end; index++) left += weightAt(order, index);
  let share = 1;
  for (let place = start; place < end - 1 && left > 0; place++) {
    const drawn = drawIndex(order, place, end, random() * left);
    const weight = weightAt(order, drawn);
    if (place === start) share = weight / left;
    left -= weight;
    // Those passed over keep the order among themselves, as the ranking had it.
    order.splice(place, 0, ...order.splice(drawn, 1));
  }
  return share;
}

/** The one at which the weights add up to what was drawn. Those that weigh nothing are never drawn. */
function drawIndex(order: readonly EligibleModel[], start: number, end: number, drawn: number): number {
  let sum = 0;
  let last = start;
  for (let index = start; index < end; index++) {
    const weight = weightAt(order, index);
    if (weight === 0) continue;
    last = index;
    sum += weight;
    if (drawn < sum) return index;
  }
  return last;
}

function weightAt(order: readonly EligibleModel[], index: number): number {
  const eligibleModel = order[index];
  return eligibleModel === undefined ? 0 : weightOf(eligibleModel.model);
}
