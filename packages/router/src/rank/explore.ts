import type { Strategy, Task } from "@trunkline/core/inference.ts";
import { fullNameOf, weightOf } from "@trunkline/core/model.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { EligibleModel } from "../candidates/eligibility.ts";
import { clearsFloor, isHealthy, isWanted, isWithinTimeFactor, moveToFront, type RankedTier } from "./rank-models.ts";
import type { RankingCriteria } from "./strategies.ts";

/** By how much a near-equal may be worse than the best of the ranking. */
const QUALITY_MARGIN = 0.03;
const COST_MARGIN_PERCENT = 120n;
/** Where the strategy looks at time, it may take little longer; elsewhere at most twice as long. */
const TIME_MARGIN: Readonly<Record<Strategy, number>> = {
  "speed-optimized": 1.2,
  hybrid: 1.2,
  "cost-optimized": 2,
  "quality-optimized": 2,
};

/** By how much is left to chance. */
export interface ExplorationPolicy {
  readonly random: Random;
  /** How often a near-equal of the best is tried, 0 to 1; 0: this request tries nothing out. */
  readonly exploration: number;
}

/**
 * Now and then gives the first place to one that is as good as the best by all that is known, so that more is known of
 * it. Those of which little is known are tried more often. Those who drew for the first place share it already.
 */
export function explore(
  rankedTier: RankedTier,
  task: Task,
  rankingCriteria: RankingCriteria,
  { exploration, random }: ExplorationPolicy,
): RankedTier {
  const { best, eligibleModels, propensity, tiedCount: equals } = rankedTier;
  const [first] = eligibleModels;
  if (first === undefined || best === undefined || !isHealthy(best)) return rankedTier;
  const isNear = nearEqualTest(best, task, rankingCriteria);
  const nearest = findNearEqual(eligibleModels, equals, isNear);
  if (nearest === undefined) return rankedTier;
  if (random() >= exploration) return { ...rankedTier, propensity: propensity * (1 - exploration) };

  const { place, share } = drawNearEqual(eligibleModels, nearest, isNear, random);
  const explored = { propensity: exploration * share, insteadOf: fullNameOf(first.model) };
  return {
    ...rankedTier,
    eligibleModels: moveToFront(eligibleModels, place),
    propensity: explored.propensity,
    explored,
  };
}

/** Who is a near-equal of the best. */
function nearEqualTest(
  best: EligibleModel,
  task: Task,
  { strategy, qualityFloor }: RankingCriteria,
): (other: EligibleModel) => boolean {
  const wanted = isWanted(best, task);
  const costMax = (best.quote.estimate * COST_MARGIN_PERCENT) / 100n;
  const qualityMin = best.prediction.quality - QUALITY_MARGIN;
  return (other) =>
    other.prediction.quality >= qualityMin &&
    clearsFloor(other, qualityFloor) &&
    other.quote.estimate <= costMax &&
    isWithinTimeFactor(other, best, TIME_MARGIN[strategy]) &&
    isHealthy(other) &&
    weightOf(other.model) > 0 &&
    isWanted(other, task) === wanted;
}

/** Where the next of them stands, from a place on. */
function findNearEqual(
  eligibleModels: readonly EligibleModel[],
  start: number,
  isNear: (eligibleModel: EligibleModel) => boolean,
): number | undefined {
  for (let place = start; place < eligibleModels.length; place++) {
    const eligibleModel = eligibleModels[place];
    if (eligibleModel !== undefined && isNear(eligibleModel)) return place;
  }
  return undefined;
}

/** Draws one of the near-equals, and says how likely that one was among them. */
function drawNearEqual(
  eligibleModels: readonly EligibleModel[],
  nearest: number,
  isNear: (eligibleModel: EligibleModel) => boolean,
  random: Random,
): { readonly place: number; readonly share: number } {
  const near: { place: number; curiosity: number }[] = [];
  let all = 0;
  for (let place: number | undefined = nearest; place !== undefined; ) {
    // One of which nothing is known is tried ten times as often as one with nine outcomes.
    const curiosity = 1 / (1 + (eligibleModels[place]?.prediction.evidence ?? 0));
    near.push({ place, curiosity });
    all += curiosity;
    place = findNearEqual(eligibleModels, place + 1, isNear);
  }
  let drawn = random() * all;
  let chosen = { place: nearest, curiosity: all };
  for (chosen of near) {
    drawn -= chosen.curiosity;
    if (drawn < 0) break;
  }
  return { place: chosen.place, share: chosen.curiosity / all };
}
