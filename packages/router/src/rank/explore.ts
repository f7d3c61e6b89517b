import type { Strategy, Task } from "@trunkline/core/inference.ts";
import { fullNameOf, weightOf } from "@trunkline/core/model.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { Prospect } from "../candidates/prospect.ts";
import { clearsFloor } from "./clears-floor.ts";
import { isSound } from "./is-sound.ts";
import { isWithinTime } from "./is-within-time.ts";
import { moveFirst, type Order } from "./order.ts";
import type { Ranking } from "./rank-by-figures.ts";
import { isWanted } from "./rank-prospects.ts";

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
export interface Curiosity {
  readonly random: Random;
  /** How often a near-equal of the best is tried, 0 to 1; 0: this request tries nothing out. */
  readonly exploration: number;
}

/**
 * Now and then gives the first place to one that is as good as the best by all that is known, so that more is known of
 * it. Those of which little is known are tried more often. Those who drew for the first place share it already.
 */
export function explore(
  order: Order,
  task: Task,
  ranking: Ranking,
  { exploration, random }: Curiosity,
): Order {
  const { best, prospects, propensity, equals } = order;
  const [first] = prospects;
  if (first === undefined || best === undefined || !isSound(best)) return order;
  const isNear = nearnessTo(best, task, ranking);
  const nearest = placeOf(prospects, equals, isNear);
  if (nearest === undefined) return order;
  if (random() >= exploration) return { ...order, propensity: propensity * (1 - exploration) };

  const { place, share } = drawOne(prospects, nearest, isNear, random);
  const explored = { propensity: exploration * share, insteadOf: fullNameOf(first.model) };
  return {
    ...order,
    prospects: moveFirst(prospects, place),
    propensity: explored.propensity,
    explored,
  };
}

/** Who is a near-equal of the best. */
function nearnessTo(
  best: Prospect,
  task: Task,
  { strategy, qualityFloor }: Ranking,
): (other: Prospect) => boolean {
  const wanted = isWanted(best, task);
  const costMax = (best.quote.estimate * COST_MARGIN_PERCENT) / 100n;
  const qualityMin = best.prediction.quality - QUALITY_MARGIN;
  return (other) =>
    other.prediction.quality >= qualityMin &&
    clearsFloor(other, qualityFloor) &&
    other.quote.estimate <= costMax &&
    isWithinTime(other, best, TIME_MARGIN[strategy]) &&
    isSound(other) &&
    weightOf(other.model) > 0 &&
    isWanted(other, task) === wanted;
}

/** Where the next of them stands, from a place on. */
function placeOf(
  prospects: readonly Prospect[],
  start: number,
  isNear: (prospect: Prospect) => boolean,
): number | undefined {
  for (let place = start; place < prospects.length; place++) {
    const prospect = prospects[place];
    if (prospect !== undefined && isNear(prospect)) return place;
  }
  return undefined;
}

/** Draws one of the near-equals, and says how likely that one was among them. */
function drawOne(
  prospects: readonly Prospect[],
  nearest: number,
  isNear: (prospect: Prospect) => boolean,
  random: Random,
): { readonly place: number; readonly share: number } {
  const near: { place: number; curiosity: number }[] = [];
  let all = 0;
  for (let place: number | undefined = nearest; place !== undefined; ) {
    // One of which nothing is known is tried ten times as often as one with nine outcomes.
    const curiosity = 1 / (1 + (prospects[place]?.prediction.evidence ?? 0));
    near.push({ place, curiosity });
    all += curiosity;
    place = placeOf(prospects, place + 1, isNear);
  }
  let drawn = random() * all;
  let chosen = { place: nearest, curiosity: all };
  for (chosen of near) {
    drawn -= chosen.curiosity;
    if (drawn < 0) break;
  }
  return { place: chosen.place, share: chosen.curiosity / all };
}
