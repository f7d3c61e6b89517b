import type { Route } from "@trunkline/core/route.ts";
import { OPTIMISATIONS } from "./optimisations.ts";
import { type Figures, type Standing, standingOf } from "./standing.ts";

/** By what those that compete are put in order. */
export type Ranking = Pick<Route, "strategy" | "weights" | "qualityFloor">;

/** Orders what competes, best first, by the figures of each. Equal ones keep the order they came in. */
export function rankByFigures<Item>(
  items: readonly Item[],
  figuresOf: (item: Item) => Figures,
  { strategy, weights, qualityFloor }: Ranking,
): Standing<Item>[] {
  const standings = items.map((item) => standingOf(item, figuresOf(item), qualityFloor));
  OPTIMISATIONS[strategy].arrange(standings, weights);
  return standings;
}
