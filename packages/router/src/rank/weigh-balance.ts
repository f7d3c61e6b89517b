import type { StrategyWeights } from "@trunkline/core/weights.ts";
import type { AnyScoredItem } from "./standing.ts";

/**
 * Differences smaller than these are not blown up to "best" and "worst":
 * a fifth of quality, a factor of four in cost and in time.
 */
const MIN_QUALITY_SPAN = 0.2;
const MIN_LOG_SPAN = Math.log(4);

/** A millionth of a credit: below it, cheaper is no longer worth anything. */
const NEGLIGIBLE_COST = 1_000;

/** Cost and time are compared by their ratio, so that one very dear model does not make all others look alike. */
export function scoreByBalance(
  scoredItems: readonly AnyScoredItem[],
  strategyWeights: StrategyWeights,
): void {
  const quality = scale(scoredItems, MIN_QUALITY_SPAN, (scoredItem) => scoredItem.quality);
  const cost = scale(scoredItems, MIN_LOG_SPAN, (scoredItem) => Math.log(scoredItem.cost + NEGLIGIBLE_COST));
  const time = scale(scoredItems, MIN_LOG_SPAN, (scoredItem) => Math.log(scoredItem.latencyMs + 1));
  for (const [index, scoredItem] of scoredItems.entries()) {
    scoredItem.score =
      strategyWeights.quality * (quality[index] ?? 0) -
      strategyWeights.cost * (cost[index] ?? 0) -
      strategyWeights.speed * (time[index] ?? 0);
  }
}

/** Moves the values onto 0 to 1. */
function scale(
  scoredItems: readonly AnyScoredItem[],
  leastSpan: number,
  measure: (scoredItem: AnyScoredItem) => number,
): number[] {
  const values = scoredItems.map(measure);
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const span = Math.max(most - least, leastSpan);
  return values.map((value) => (value - least) / span);
}
