import type { Strategy } from "@trunkline/core/inference.ts";
import { fullNameOf, weightOf } from "@trunkline/core/model.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { isHealthy, isWithinTimeFactor, moveToFront, type RankedTier } from "./rank-models.ts";
import type { RankingCriteria } from "./strategies.ts";

/** How much worse than the best a near-equal may be. */
const QUALITY_MARGIN = 0.03;
const COST_MARGIN_PERCENT = 120n;
/** How much longer it may take, as a factor: little where the strategy compares time. */
const TIME_MARGIN: Readonly<Record<Strategy, number>> = {
  "speed-optimized": 1.2,
  hybrid: 1.2,
  "cost-optimized": 2,
  "quality-optimized": 2,
};

export interface ExplorationPolicy {
  readonly random: Random;
  /** The probability that a near-equal of the best is tried, 0 to 1; 0: this request explores nothing. */
  readonly exploration: number;
}

/**
 * Sometimes gives the first place to a near-equal of the best, to learn more about it. Candidates with less evidence are
 * tried more often. Candidates that drew for the first place share it already.
 */
export function explore(
  rankedTier: RankedTier,
  criteria: RankingCriteria,
  { exploration, random }: ExplorationPolicy,
): RankedTier {
  const { best, ranking, propensity, tiedCount } = rankedTier;
  const [first] = ranking;
  if (first === undefined || best === undefined || !isHealthy(best)) return rankedTier;
  const near = findNearEquals(rankedTier, best, criteria, tiedCount);
  if (near.length === 0) return rankedTier;
  if (random() >= exploration) return { ...rankedTier, propensity: propensity * (1 - exploration) };

  const { place, share } = drawNearEqual(near, random);
  const explored = { propensity: exploration * share, insteadOf: fullNameOf(first.candidate.model) };
  return { ...rankedTier, ranking: moveToFront(ranking, place), propensity: explored.propensity, explored };
}

interface NearEqual {
  readonly place: number;
  readonly curiosity: number;
}

/** The near-equals of the best, from a place of the ranking on. */
function findNearEquals(
  { ranking }: RankedTier,
  best: Candidate,
  { strategy, qualityFloor }: RankingCriteria,
  start: number,
): readonly NearEqual[] {
  const costMax = (best.quote.estimate * COST_MARGIN_PERCENT) / 100n;
  const qualityMin = best.quality - QUALITY_MARGIN;
  const near: NearEqual[] = [];
  for (let place = start; place < ranking.length; place++) {
    const other = ranking[place]?.candidate;
    if (
      other !== undefined &&
      other.quality >= qualityMin &&
      other.quality >= qualityFloor &&
      other.quote.estimate <= costMax &&
      isWithinTimeFactor(other, best, TIME_MARGIN[strategy]) &&
      isHealthy(other) &&
      weightOf(other.model) > 0 &&
      other.isWanted === best.isWanted
    ) {
      // A candidate without outcomes is tried ten times as often as one with nine.
      near.push({ place, curiosity: 1 / (1 + other.evidence) });
    }
  }
  return near;
}

/** Draws one of the near-equals by their curiosity, and returns its probability among them. */
function drawNearEqual(near: readonly NearEqual[], random: Random): { readonly place: number; readonly share: number } {
  let all = 0;
  for (const { curiosity } of near) all += curiosity;
  let drawn = random() * all;
  let chosen = near[0];
  for (chosen of near) {
    drawn -= chosen.curiosity;
    if (drawn < 0) break;
  }
  return { place: chosen?.place ?? 0, share: (chosen?.curiosity ?? all) / all };
}
