import type { Caller } from "@trunkline/core/caller.ts";
import {
  DEFAULT_WEIGHTS,
  type Inference,
  type Preferences,
  type Strategy,
  type StrategyWeights,
} from "@trunkline/core/inference.ts";
import type { Route } from "@trunkline/core/route.ts";

/** By what the models are put in order, and who said so. */
export type RoutingPolicy = Pick<Route, "strategy" | "weights" | "qualityFloor" | "chosenBy">;

/** What holds where neither the request nor its account says anything. */
interface RoutingDefaults {
  readonly strategy: Strategy;
  readonly qualityFloor: number;
}

/** The strategy of one request: its own, else what it prefers, else its account's, else the service's. */
export function resolveStrategy(
  inference: Pick<Inference, "strategy" | "preferences">,
  caller: Pick<Caller, "strategy">,
  serviceDefault: Strategy,
): Strategy {
  return ownStrategy(inference) ?? caller.strategy ?? serviceDefault;
}

/** Everything that decides the order of what can serve a request. */
export function resolveRoutingPolicy(
  inference: Pick<Inference, "strategy" | "preferences" | "model">,
  caller: Pick<Caller, "strategy" | "weights" | "minQuality">,
  defaults: RoutingDefaults,
): RoutingPolicy {
  const isOwn = ownStrategy(inference) !== undefined;
  return {
    strategy: resolveStrategy(inference, caller, defaults.strategy),
    weights: caller.weights ?? DEFAULT_WEIGHTS,
    qualityFloor: inference.preferences.minQuality ?? caller.minQuality ?? defaults.qualityFloor,
    chosenBy: inference.model !== undefined ? "name" : isOwn ? "request" : "account",
  };
}

function ownStrategy({ strategy, preferences }: Pick<Inference, "strategy" | "preferences">) {
  return strategy ?? preferredStrategy(preferences);
}

/** One clear wish is a strategy; several wishes at once, or a wish for balance, can only be balanced. */
function preferredStrategy({ speed, cost, quality }: Preferences): Strategy | undefined {
  const wishes: Strategy[] = [];
  if (speed === "fast") wishes.push("speed-optimized");
  if (cost === "low") wishes.push("cost-optimized");
  if (quality === "high") wishes.push("quality-optimized");
  if (wishes.length === 1) return wishes[0];
  if (wishes.length > 1) return "hybrid";
  return speed === "balanced" || cost === "balanced" || quality === "balanced" ? "hybrid" : undefined;
}

/** Fewer failures than this are noise and must not decide between two good models. */
const NOISE_ERROR_RATE = 0.1;
const MAX_ERROR_RATE = 0.95;

/** What models are compared by. Amounts are floats here and only here: they order models and never charge anyone. */
export interface RankingMetrics {
  /** The client's word is unknown and the model lists it. */
  readonly isWanted: boolean;
  /** Nano-credits. */
  readonly cost: number;
  readonly latencyMs: number;
  readonly quality: number;
  /** The quality that can be counted on: what is held against the floor. */
  readonly sureQuality: number;
  /** 0 to 1, of recent calls. */
  readonly errorRate: number;
  /** Only parts what is otherwise equal. */
  readonly efficiency: number;
}

/** One of those that compete, with its figures as the strategies compare them: an answer of one that fails often takes more calls. */
export interface ScoredItem<Item> {
  readonly item: Item;
  readonly wanted: number;
  readonly clearsFloor: boolean;
  readonly cost: number;
  readonly latencyMs: number;
  readonly quality: number;
  readonly efficiency: number;
  /** What the strategy compares. */
  score: number;
}

type AnyScoredItem = ScoredItem<unknown>;

/** How many calls it takes to get an answer, if every call fails as often as the recent ones. */
export function expectedAttempts(errorRate: number): number {
  return errorRate <= NOISE_ERROR_RATE ? 1 : 1 / (1 - Math.min(errorRate, MAX_ERROR_RATE));
}

/** So many outcomes weigh as much as the bare claim. */
const CLAIM_WEIGHT = 20;

/**
 * The quality that can be counted on: the bare claim where there is nothing but that, giving way to the lower bound with
 * every outcome. A model of which little is known is not held to be bad for that.
 */
export function sureQualityOf(claimed: number, lower: number, evidence: number): number {
  return claimed + ((lower - claimed) * evidence) / (evidence + CLAIM_WEIGHT);
}

/** Where an item stands before it is compared with the others. */
function toScoredItem<Item>(item: Item, rankingMetrics: RankingMetrics, floor: number): ScoredItem<Item> {
  const attempts = expectedAttempts(rankingMetrics.errorRate);
  return {
    item,
    wanted: rankingMetrics.isWanted ? 1 : 0,
    clearsFloor: rankingMetrics.sureQuality >= floor,
    cost: rankingMetrics.cost * attempts,
    latencyMs: rankingMetrics.latencyMs * attempts,
    quality: rankingMetrics.quality / attempts,
    efficiency: rankingMetrics.efficiency,
    score: 0,
  };
}

/**
 * Differences smaller than these are not blown up to "best" and "worst":
 * a fifth of quality, a factor of four in cost and in time.
 */
const MIN_QUALITY_SPAN = 0.2;
const MIN_LOG_SPAN = Math.log(4);

/** A millionth of a credit: below it, cheaper is no longer worth anything. */
const NEGLIGIBLE_COST = 1_000;

/** Cost and time are compared by their ratio, so that one very dear model does not make all others look alike. */
function scoreByBalance(scoredItems: readonly AnyScoredItem[], strategyWeights: StrategyWeights): void {
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
        byWanted(a, b) || byFloor(a, b) || byCost(a, b) || byQuality(a, b) || byTime(a, b) || byEfficiency(a, b),
    );
  },
};

/** The least expected time until the last token, calls that fail included. */
const speedRanker: StrategyRanker = {
  rank(scoredItems) {
    for (const scoredItem of scoredItems) scoredItem.score = scoredItem.latencyMs;
    scoredItems.sort((a, b) => byWanted(a, b) || byTime(a, b) || byCost(a, b) || byQuality(a, b) || byEfficiency(a, b));
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
const STRATEGY_RANKERS: Readonly<Record<Strategy, StrategyRanker>> = {
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
