import type { Strategy } from "@trunkline/core/inference.ts";
import type { StrategyWeights } from "@trunkline/core/weights.ts";
import type { AnyScoredItem } from "./standing.ts";
import { scoreByBalance } from "./weigh-balance.ts";

/** What a strategy is after, stated. Whoever lists the client's unknown word comes before all others, whatever the strategy. */
interface StrategyRanker {
  /** Gives each its score and puts the best first. Equal ones keep the order they came in. */
  rank(scoredItems: AnyScoredItem[], strategyWeights: StrategyWeights): void;
}

/** Qualities that are no further apart than this are taken for the same: no prediction is as fine as that. */
export const QUALITY_TIE_MARGIN = 0.01;

const byWanted = (a: AnyScoredItem, b: AnyScoredItem) => b.wanted - a.wanted;
const byFloor = (a: AnyScoredItem, b: AnyScoredItem) => Number(b.clearsFloor) - Number(a.clearsFloor);
const byCost = (a: AnyScoredItem, b: AnyScoredItem) => a.cost - b.cost;
const byTime = (a: AnyScoredItem, b: AnyScoredItem) => a.latencyMs - b.latencyMs;
const byQuality = (a: AnyScoredItem, b: AnyScoredItem) => b.quality - a.quality;
const byEfficiency = (a: AnyScoredItem, b: AnyScoredItem) => b.efficiency - a.efficiency;
const byScore = (a: AnyScoredItem, b: AnyScoredItem) => b.score - a.score;

/**
 * The least expected cost of an answer, calls that fail included, among those whose quality surely clears the floor.
 * The others come after all of these, cheapest first: the floor never makes a request fail.
 */
const costRanker: StrategyRanker = {
  rank(scoredItems) {
    for (const scoredItem of scoredItems) scoredItem.score = scoredItem.cost;
    scoredItems.sort(
      (a, b) =>
        byWanted(a, b) ||
        byFloor(a, b) ||
        byCost(a, b) ||
        byQuality(a, b) ||
        byTime(a, b) ||
        byEfficiency(a, b),
    );
  },
};

/** The least expected time until the last token, calls that fail included. */
const speedRanker: StrategyRanker = {
  rank(scoredItems) {
    for (const scoredItem of scoredItems) scoredItem.score = scoredItem.latencyMs;
    scoredItems.sort(
      (a, b) => byWanted(a, b) || byTime(a, b) || byCost(a, b) || byQuality(a, b) || byEfficiency(a, b),
    );
  },
};

/** The cheapest of those that are as good as the best, then the cheapest of those that are as good as the best of the rest. */
const qualityRanker: StrategyRanker = {
  rank(scoredItems) {
    for (const scoredItem of scoredItems) scoredItem.score = scoredItem.quality;
    scoredItems.sort((a, b) => byWanted(a, b) || byQuality(a, b));
    for (let from = 0; from < scoredItems.length; ) {
      const to = endOfTie(scoredItems, from);
      if (to - from > 1) {
        const tied = scoredItems
          .slice(from, to)
          .sort((a, b) => byCost(a, b) || byQuality(a, b) || byTime(a, b) || byEfficiency(a, b));
        scoredItems.splice(from, tied.length, ...tied);
      }
      from = to;
    }
  },
};

/** The greatest balance of quality, cost and time, weighed as the account does. */
const hybridRanker: StrategyRanker = {
  rank(scoredItems, strategyWeights) {
    scoreByBalance(scoredItems, strategyWeights);
    scoredItems.sort((a, b) => byWanted(a, b) || byScore(a, b) || byEfficiency(a, b) || byCost(a, b));
  },
};

/** What each strategy is after. */
export const STRATEGY_RANKERS: Readonly<Record<Strategy, StrategyRanker>> = {
  "cost-optimized": costRanker,
  "speed-optimized": speedRanker,
  "quality-optimized": qualityRanker,
  hybrid: hybridRanker,
};

/** Where those end that are as good as the one at `from`, in an order by quality. */
function endOfTie(scoredItems: readonly AnyScoredItem[], from: number): number {
  const best = scoredItems[from];
  let end = from + 1;
  for (let next = scoredItems[end]; next !== undefined && best !== undefined; next = scoredItems[++end]) {
    if (next.wanted !== best.wanted || next.quality < best.quality - QUALITY_TIE_MARGIN) break;
  }
  return end;
}
