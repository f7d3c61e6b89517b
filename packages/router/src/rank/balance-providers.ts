import { type Price, weightOf } from "@trunkline/core/model.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { isHealthy, isWithinTimeFactor, type RankedTier } from "./rank-models.ts";
import type { ExplainedCandidate } from "./ranked-candidate.ts";

/** Differences up to these do not decide between two providers of the same model. */
const SAME_COST_FACTOR = 1.01;
const SAME_TIME_FACTOR = 1.2;
const SAME_QUALITY_MARGIN = 0.03;

/**
 * Spreads the load over equal providers of one model: they draw their places by their weights. Equal providers are next
 * to each other in the ranking, and each is compared with the first of them.
 */
export function balanceEqualProviders(ranked: readonly ExplainedCandidate[], random: Random): RankedTier {
  let ranking: ExplainedCandidate[] | undefined;
  let tiedCount = 1;
  let propensity = 1;
  for (let start = 0; start < ranked.length - 1; ) {
    const end = endOfEqualRun(ranked, start);
    if (end - start > 1) {
      ranking ??= [...ranked];
      const share = shuffleByWeight(ranking, start, end, random);
      if (start === 0) {
        tiedCount = end;
        propensity = share;
      }
    }
    start = end;
  }
  return {
    ranking: ranking ?? ranked,
    best: ranked[0]?.candidate,
    tiedCount,
    propensity,
    stickyTo: undefined,
    explored: undefined,
  };
}

/** The end of the providers that are equal to the one at the start. */
function endOfEqualRun(ranked: readonly ExplainedCandidate[], start: number): number {
  const first = ranked[start]?.candidate;
  let end = start + 1;
  let other = ranked[end]?.candidate;
  if (first === undefined || other?.model.name !== first.model.name || !isHealthy(first)) return end;
  for (; other !== undefined && areInterchangeable(first, other); other = ranked[end]?.candidate) end++;
  return end;
}

function areInterchangeable(one: Candidate, other: Candidate): boolean {
  return (
    one.model.name === other.model.name &&
    // The account's own key and ours at the same provider are not two providers.
    one.model.provider !== other.model.provider &&
    one.model.ownKey === other.model.ownKey &&
    one.fit === other.fit &&
    isHealthy(other) &&
    areWithin(Number(one.quote.estimate), Number(other.quote.estimate), SAME_COST_FACTOR) &&
    haveSamePrices(one.quote.price, other.quote.price) &&
    isWithinTimeFactor(one, other, SAME_TIME_FACTOR) &&
    isWithinTimeFactor(other, one, SAME_TIME_FACTOR) &&
    Math.abs(one.quality - other.quality) <= SAME_QUALITY_MARGIN
  );
}

/** An answer may be longer than estimated, so each part of the price matters. */
function haveSamePrices(one: Price, other: Price): boolean {
  const isAlike = (a: bigint, b: bigint) => areWithin(Number(a), Number(b), SAME_COST_FACTOR);
  return (
    isAlike(one.inputPerMillion, other.inputPerMillion) &&
    isAlike(one.outputPerMillion, other.outputPerMillion) &&
    isAlike(one.cachedInputPerMillion ?? one.inputPerMillion, other.cachedInputPerMillion ?? other.inputPerMillion) &&
    isAlike(one.cacheWritePerMillion ?? one.inputPerMillion, other.cacheWritePerMillion ?? other.inputPerMillion) &&
    isAlike(one.perImage, other.perImage) &&
    isAlike(one.perRequest, other.perRequest) &&
    isAlike(one.perSecond, other.perSecond)
  );
}

function areWithin(one: number, other: number, factor: number): boolean {
  return one <= other * factor && other <= one * factor;
}

/** Draws the places one after the other, in place. Returns the probability of the first draw. */
function shuffleByWeight(order: ExplainedCandidate[], start: number, end: number, random: Random): number {
  let left = 0;
  for (let index = start; index < end; index++) left += weightAt(order, index);
  let share = 1;
  for (let place = start; place < end - 1 && left > 0; place++) {
    const drawn = drawIndex(order, place, end, random() * left);
    const weight = weightAt(order, drawn);
    if (place === start) share = weight / left;
    left -= weight;
    // The others keep their order.
    order.splice(place, 0, ...order.splice(drawn, 1));
  }
  return share;
}

/** The index at which the sum of the weights exceeds the drawn number. A weight of zero is never drawn. */
function drawIndex(order: readonly ExplainedCandidate[], start: number, end: number, drawn: number): number {
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

function weightAt(order: readonly ExplainedCandidate[], index: number): number {
  const ranked = order[index];
  return ranked === undefined ? 0 : weightOf(ranked.candidate.model);
}
