import type { Route } from "@trunkline/core/route.ts";
import { STRATEGY_RANKERS } from "./optimisations.ts";
import { type RankingMetrics, type ScoredItem, toScoredItem } from "./standing.ts";

/** By what those that compete are put in order. */
export type RankingCriteria = Pick<Route, "strategy" | "weights" | "qualityFloor">;

/** Orders what competes, best first, by the figures of each. Equal ones keep the order they came in. */
export function rankByMetrics<Item>(
  items: readonly Item[],
  figuresOf: (item: Item) => RankingMetrics,
  { strategy, weights: strategyWeights, qualityFloor }: RankingCriteria,
): ScoredItem<Item>[] {
  const scoredItems = items.map((item) => toScoredItem(item, figuresOf(item), qualityFloor));
  STRATEGY_RANKERS[strategy].rank(scoredItems, strategyWeights);
  return scoredItems;
}
