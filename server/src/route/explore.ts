import type { Strategy, Task } from "../domain/inference.ts";
import { fullNameOf, weightOf } from "../domain/model.ts";
import type { Random } from "../kit/random.ts";
import { isSound } from "./is-sound.ts";
import { moveFirst, type Order } from "./order.ts";
import type { Prospect } from "./prospect.ts";
import { isWanted } from "./rank-prospects.ts";

/** By how much a near-equal may be worse than the best of the ranking. */
const QUALITY_MARGIN = 0.03;
const COST_MARGIN = 1.2;
/** Where the strategy looks at time, it may take little longer; elsewhere at most twice as long. */
const TIME_MARGIN: Readonly<Record<Strategy, number>> = {
  "speed-optimized": 1.2,
  hybrid: 1.2,
  "cost-optimized": 2,
  "quality-optimized": 2,
};

/** What one request may try out. */
export interface Trial {
  readonly strategy: Strategy;
  readonly task: Task;
  /** How often somebody else is tried, 0 to 1. */
  readonly exploration: number;
  /** The least predicted quality, at its lower bound. */
  readonly qualityFloor: number;
  readonly random: Random;
}

interface NearEqual {
  readonly place: number;
  readonly curiosity: number;
}

/**
 * Now and then gives the first place to one that is as good as the best by all that is known, so that more is known of
 * it. Those of which little is known are tried more often. Those who drew for the first place share it already.
 */
export function explore(order: Order, trial: Trial): Order {
  const { best, prospects, propensity } = order;
  const [first] = prospects;
  if (first === undefined || best === undefined || !isSound(best)) return order;
  const near = nearEquals(order, best, trial);
  const { exploration, random } = trial;
  let [tried] = near;
  if (tried === undefined) return order;
  if (random() >= exploration) return { ...order, propensity: propensity * (1 - exploration) };

  const curiosity = near.reduce((sum, one) => sum + one.curiosity, 0);
  let drawn = random() * curiosity;
  for (const one of near) {
    tried = one;
    drawn -= one.curiosity;
    if (drawn < 0) break;
  }
  const explored = {
    propensity: (exploration * tried.curiosity) / curiosity,
    insteadOf: fullNameOf(first.model),
  };
  return {
    ...order,
    prospects: moveFirst(prospects, tried.place),
    propensity: explored.propensity,
    explored,
  };
}

function nearEquals(
  { prospects, equals }: Order,
  best: Prospect,
  { strategy, task, qualityFloor }: Trial,
): NearEqual[] {
  const wanted = isWanted(best, task);
  const costMax = Number(best.quote.estimate) * COST_MARGIN;
  const timeMax = best.latencyMs * TIME_MARGIN[strategy];
  const qualityMin = best.prediction.quality - QUALITY_MARGIN;
  const near: NearEqual[] = [];
  for (let place = equals; place < prospects.length; place++) {
    const other = prospects[place];
    if (other === undefined) break;
    const { quality, lower, evidence } = other.prediction;
    if (quality < qualityMin || lower < qualityFloor || other.latencyMs > timeMax) continue;
    if (Number(other.quote.estimate) > costMax) continue;
    if (!isSound(other) || weightOf(other.model) === 0 || isWanted(other, task) !== wanted) continue;
    // One of which nothing is known is tried ten times as often as one with nine outcomes.
    near.push({ place, curiosity: 1 / (1 + evidence) });
  }
  return near;
}
