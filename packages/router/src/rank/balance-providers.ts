import { type Price, weightOf } from "@trunkline/core/model.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { Prospect } from "../candidates/prospect.ts";
import { isSound } from "./is-sound.ts";
import { isWithinTime } from "./is-within-time.ts";
import type { Order } from "./order.ts";

/** Differences up to these decide nothing between two providers of one and the same model. */
const SAME_COST = 1.01;
const SAME_TIME = 1.2;
const SAME_QUALITY = 0.03;

/**
 * Lets the providers of one model that are equal draw their places by their weights, so that the load is spread.
 * Equals stand next to each other in the ranking, and each is equal to the first of them.
 */
export function spreadEquals(ranked: readonly Prospect[], random: Random): Order {
  let prospects: Prospect[] | undefined;
  let equals = 1;
  let propensity = 1;
  for (let start = 0; start < ranked.length - 1; ) {
    const end = endOfEquals(ranked, start);
    if (end - start > 1) {
      prospects ??= [...ranked];
      const share = drawPlaces(prospects, start, end, random);
      if (start === 0) [equals, propensity] = [end, share];
    }
    start = end;
  }
  return { prospects: prospects ?? ranked, best: ranked[0], equals, propensity };
}

/** Where those end that are equal to the one at the start. */
function endOfEquals(ranked: readonly Prospect[], start: number): number {
  const first = ranked[start];
  let end = start + 1;
  if (first === undefined || ranked[end]?.model.name !== first.model.name || !isSound(first)) return end;
  for (let other = ranked[end]; other !== undefined && areEqual(first, other); other = ranked[end]) end++;
  return end;
}

function areEqual(one: Prospect, other: Prospect): boolean {
  return (
    one.model.name === other.model.name &&
    // Two ways to one provider, by the account's own key and by ours, are no two providers.
    one.model.provider !== other.model.provider &&
    one.model.ownKey === other.model.ownKey &&
    one.fit === other.fit &&
    isSound(other) &&
    areWithin(Number(one.quote.estimate), Number(other.quote.estimate), SAME_COST) &&
    arePricedAlike(one.quote.price, other.quote.price) &&
    isWithinTime(one, other, SAME_TIME) &&
    isWithinTime(other, one, SAME_TIME) &&
    Math.abs(one.prediction.quality - other.prediction.quality) <= SAME_QUALITY
  );
}

/** An answer may be longer than was estimated, and then each figure of the price tells. */
function arePricedAlike(one: Price, other: Price): boolean {
  const isAlike = (a: bigint, b: bigint) => areWithin(Number(a), Number(b), SAME_COST);
  return (
    isAlike(one.inputPerMillion, other.inputPerMillion) &&
    isAlike(one.outputPerMillion, other.outputPerMillion) &&
    isAlike(cachedPriceOf(one), cachedPriceOf(other)) &&
    isAlike(
      one.cacheWritePerMillion ?? one.inputPerMillion,
      other.cacheWritePerMillion ?? other.inputPerMillion,
    ) &&
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
function drawPlaces(order: Prospect[], start: number, end: number, random: Random): number {
  let left = 0;
  for (let index = start; index < end; index++) left += weightAt(order, index);
  let share = 1;
  for (let place = start; place < end - 1 && left > 0; place++) {
    const drawn = drawOne(order, place, end, random() * left);
    const weight = weightAt(order, drawn);
    if (place === start) share = weight / left;
    left -= weight;
    // Those passed over keep the order among themselves, as the ranking had it.
    order.splice(place, 0, ...order.splice(drawn, 1));
  }
  return share;
}

/** The one at which the weights add up to what was drawn. Those that weigh nothing are never drawn. */
function drawOne(order: readonly Prospect[], start: number, end: number, drawn: number): number {
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

function weightAt(order: readonly Prospect[], index: number): number {
  const prospect = order[index];
  return prospect === undefined ? 0 : weightOf(prospect.model);
}
