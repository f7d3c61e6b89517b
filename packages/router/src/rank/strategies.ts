import type { Caller } from "@trunkline/core/caller.ts";
import {
  DEFAULT_WEIGHTS,
  type Inference,
  type Preferences,
  type Strategy,
  type StrategyWeights,
} from "@trunkline/core/inference.ts";
import { NANO_PER_CREDIT } from "@trunkline/core/money.ts";
import type { Candidate, FloorSetBy, Route } from "@trunkline/core/route.ts";

/** How candidates are ranked, and who decided that. */
export interface RoutingPolicy extends Pick<Route, "strategy" | "weights" | "qualityFloor" | "chosenBy"> {
  readonly floorSetBy: FloorSetBy;
}

/** Used where neither the request nor its account decides. */
interface RoutingDefaults {
  readonly strategy: Strategy;
  readonly qualityFloor: number;
}

/** The strategy of one request: its own, else that of its preferences, else its account's, else the service's. */
export function resolveStrategy(
  inference: Pick<Inference, "strategy" | "preferences">,
  caller: Pick<Caller, "strategy">,
  serviceDefault: Strategy,
): Strategy {
  return ownStrategy(inference) ?? caller.strategy ?? serviceDefault;
}

export function resolveRoutingPolicy(
  inference: Pick<Inference, "strategy" | "preferences" | "model">,
  caller: Pick<Caller, "strategy" | "weights" | "minQuality">,
  defaults: RoutingDefaults,
): RoutingPolicy {
  const own = ownStrategy(inference);
  return {
    strategy: own ?? caller.strategy ?? defaults.strategy,
    weights:
      (inference.strategy === undefined ? wishedWeights(inference.preferences) : undefined) ??
      caller.weights ??
      DEFAULT_WEIGHTS,
    qualityFloor: inference.preferences.minQuality ?? caller.minQuality ?? defaults.qualityFloor,
    floorSetBy:
      inference.preferences.minQuality !== undefined
        ? "request"
        : caller.minQuality !== undefined
          ? "account"
          : "service",
    chosenBy: inference.model !== undefined ? "name" : own !== undefined ? "request" : "account",
  };
}

function ownStrategy({ strategy, preferences }: Pick<Inference, "strategy" | "preferences">) {
  return strategy ?? preferredStrategy(preferences);
}

/** One wish is a strategy. Several, or `balanced`, make `hybrid`. */
function preferredStrategy({ speed, cost, quality }: Preferences): Strategy | undefined {
  const wantsSpeed = speed === "fast";
  const wantsLowCost = cost === "low";
  const wantsQuality = quality === "high";
  if (wantsSpeed) return wantsLowCost || wantsQuality ? "hybrid" : "speed-optimized";
  if (wantsLowCost) return wantsQuality ? "hybrid" : "cost-optimized";
  if (wantsQuality) return "quality-optimized";
  return speed === "balanced" || cost === "balanced" || quality === "balanced" ? "hybrid" : undefined;
}

/** Two wishes share most of the weight. */
const UNWISHED_WEIGHT = 0.1;
const WISHED_WEIGHT = (1 - UNWISHED_WEIGHT) / 2;

/** The weights of two wishes together; undefined: there are fewer, or all three. */
function wishedWeights({ speed, cost, quality }: Preferences): StrategyWeights | undefined {
  const wishes = { cost: cost === "low", speed: speed === "fast", quality: quality === "high" };
  if (Number(wishes.cost) + Number(wishes.speed) + Number(wishes.quality) !== 2) return undefined;
  const weightOf = (isWished: boolean) => (isWished ? WISHED_WEIGHT : UNWISHED_WEIGHT);
  return { cost: weightOf(wishes.cost), speed: weightOf(wishes.speed), quality: weightOf(wishes.quality) };
}

/** A lower error rate is noise and must not decide between two good models. */
const NOISE_ERROR_RATE = 0.1;
const MAX_ERROR_RATE = 0.95;

/** What ranking reads of a candidate, beside its cost. */
export type Rankable = Pick<Candidate, "isWanted" | "latencyMs" | "quality" | "errorRate">;

/** How many calls one answer takes if calls fail as often as the recent ones. */
export function expectedAttempts(errorRate: number): number {
  return errorRate <= NOISE_ERROR_RATE ? 1 : 1 / (1 - Math.min(errorRate, MAX_ERROR_RATE));
}

/**
 * What an answer that satisfies is worth in `hybrid`, in nano-credits, which is what a bad answer costs: two hundredths
 * of a credit. A tiny model suffices for a greeting, as the better chance of a strong one is worth less than its price;
 * for a proof the strong one is worth its price.
 */
const VALUE_OF_GOOD_ANSWER = 0.02 * Number(NANO_PER_CREDIT);

/** The price of a millisecond of waiting in `hybrid`, in nano-credits: a thousandth of a credit for four seconds. */
const PRICE_OF_MS = (0.000_25 * Number(NANO_PER_CREDIT)) / 1_000;

/** Qualities within this margin count as equal, because no prediction is more exact. */
export const QUALITY_TIE_MARGIN = 0.005;

/** Among models of equal quality, one that takes more than this multiple of the fastest one's time comes after the others. */
export const TIED_TIME_FACTOR = 3;

/**
 * The figures that the strategies compare, by place in the list of candidates. A candidate that fails often needs more
 * calls for one answer. Amounts are floats here: they order candidates and are never charged. The arrays are used again
 * for every ranking, and grow where a list is longer.
 */
class RankingFigures {
  /** Candidates of a lower group come first, as the constants say. */
  group = new Uint8Array(0);
  /** Within a group, the least key comes first. */
  key = new Float64Array(0);
  /** Nano-credits. */
  cost = new Float64Array(0);
  latencyMs = new Float64Array(0);
  quality = new Float64Array(0);
  /** Only decides between candidates that are equal otherwise. */
  efficiency = new Float64Array(0);
  /** What the strategy compares. */
  score = new Float64Array(0);
  /** The places of the candidates, best first. */
  order = new Uint32Array(0);

  reserve(size: number): void {
    if (this.order.length >= size) return;
    const room = Math.max(64, 2 * size);
    this.group = new Uint8Array(room);
    this.key = new Float64Array(room);
    this.cost = new Float64Array(room);
    this.latencyMs = new Float64Array(room);
    this.quality = new Float64Array(room);
    this.efficiency = new Float64Array(room);
    this.score = new Float64Array(room);
    this.order = new Uint32Array(room);
  }
}

const figures = new RankingFigures();

/** Does not list the client's unknown task word. Those that do come first with every strategy. */
const UNWANTED = 2;
/** Comes after all others that list the word as well: by its quality, or in a tie of quality by its time. */
const UNQUALIFIED = 1;

/** Decides between two candidates of equal group and key. Negative: the one at the first place is better. */
type Comparison = (one: number, other: number) => number;

const compareByCost: Comparison = (one, other) => {
  const { cost, quality, latencyMs, efficiency } = figures;
  return (
    at(cost, one) - at(cost, other) ||
    at(quality, other) - at(quality, one) ||
    at(latencyMs, one) - at(latencyMs, other) ||
    at(efficiency, other) - at(efficiency, one)
  );
};

const compareBySpeed: Comparison = (one, other) => {
  const { cost, quality, latencyMs, efficiency } = figures;
  return (
    at(latencyMs, one) - at(latencyMs, other) ||
    at(cost, one) - at(cost, other) ||
    at(quality, other) - at(quality, one) ||
    at(efficiency, other) - at(efficiency, one)
  );
};

const compareByEfficiency: Comparison = (one, other) => {
  const { efficiency, cost } = figures;
  return at(efficiency, other) - at(efficiency, one) || at(cost, one) - at(cost, other);
};

const compareNothing: Comparison = () => 0;

function at(values: Float64Array, place: number): number {
  return values[place] ?? 0;
}

/** Sorts a part of the order, best first, by insertion. Equal candidates keep their order. */
function sortOrder(from: number, to: number, compareEqual: Comparison): void {
  const { order, group, key } = figures;
  for (let next = from + 1; next < to; next++) {
    const moved = order[next] ?? 0;
    const movedGroup = group[moved] ?? 0;
    const movedKey = key[moved] ?? 0;
    let low = from;
    let high = next;
    // The last one first: most of a sorted part stays where it is.
    let middle = next - 1;
    while (low < high) {
      const other = order[middle] ?? 0;
      const otherGroup = group[other] ?? 0;
      const otherKey = key[other] ?? 0;
      let isAfter = otherGroup <= movedGroup;
      if (otherGroup === movedGroup)
        isAfter = otherKey < movedKey || (!(otherKey > movedKey) && compareEqual(other, moved) <= 0);
      if (isAfter) low = middle + 1;
      else high = middle;
      middle = (low + high) >>> 1;
    }
    for (let place = next; place > low; place--) order[place] = order[place - 1] ?? 0;
    order[low] = moved;
  }
}

/** Sorts each run of equal qualities by cost. */
function sortQualityTies(size: number): void {
  for (let from = 0; from < size; ) {
    const to = endOfTie(from, size);
    if (to - from > 1) {
      markQuick(from, to);
      sortOrder(from, to, compareByCost);
    }
    from = to;
  }
}

/** In a tie, the cheapest comes first of those that do not take several times as long as the fastest of it. */
function markQuick(from: number, to: number): void {
  const { order, latencyMs, group, key, cost } = figures;
  let least = Number.POSITIVE_INFINITY;
  for (let index = from; index < to; index++) least = Math.min(least, at(latencyMs, order[index] ?? 0));
  for (let index = from; index < to; index++) {
    const place = order[index] ?? 0;
    group[place] = at(latencyMs, place) <= TIED_TIME_FACTOR * least ? 0 : UNQUALIFIED;
    key[place] = at(cost, place);
  }
}

/** The end of the candidates whose quality equals that of the one at `from`, in an order by quality. */
function endOfTie(from: number, size: number): number {
  const { order, group, quality } = figures;
  const best = order[from] ?? 0;
  let end = from + 1;
  for (; end < size; end++) {
    const next = order[end] ?? 0;
    if (group[next] !== group[best] || at(quality, next) < at(quality, best) - QUALITY_TIE_MARGIN) break;
  }
  return end;
}

/**
 * The expected worth of each answer in nano-credits: the chance that it satisfies times what that is worth, less its
 * expected cost and the price of the time it takes. The default weights leave the three as they are.
 */
function scoreByWorth(size: number, weights: StrategyWeights): void {
  const { quality, cost, latencyMs, score } = figures;
  const value = (weights.quality / DEFAULT_WEIGHTS.quality) * VALUE_OF_GOOD_ANSWER;
  const costFactor = weights.cost / DEFAULT_WEIGHTS.cost;
  const priceOfMs = (weights.speed / DEFAULT_WEIGHTS.speed) * PRICE_OF_MS;
  for (let place = 0; place < size; place++) {
    score[place] = value * at(quality, place) - costFactor * at(cost, place) - priceOfMs * at(latencyMs, place);
  }
}

/** Keys by a figure of which less is better; those that do not qualify by quality: a failure must not lead to the weakest. */
function setKeysByLeast(size: number, least: Float64Array): void {
  const { group, key, quality } = figures;
  for (let place = 0; place < size; place++) {
    const isQualified = ((group[place] ?? 0) & UNQUALIFIED) === 0;
    key[place] = isQualified ? at(least, place) : -at(quality, place);
  }
}

function setKeysByMost(size: number, most: Float64Array): void {
  const { key } = figures;
  for (let place = 0; place < size; place++) key[place] = -at(most, place);
}

/** What candidates are ranked by, with the floors that are settled for them. */
export type RankingCriteria = Pick<Route, "strategy" | "weights" | "qualityFloor" | "loweredFloor" | "speedFloor">;

/** Orders candidates by the strategy, best first. Equal candidates keep their order. */
export function rankByStrategy<C extends Rankable>(
  candidates: readonly C[],
  costOf: (candidate: C) => number,
  efficiencyOf: (candidate: C) => number,
  criteria: RankingCriteria,
): readonly { readonly candidate: C; readonly score: number }[] {
  return mapByStrategy(candidates, costOf, efficiencyOf, criteria, (candidate, score) => ({ candidate, score }));
}

/** The same, with an entry made of each candidate. */
export function mapByStrategy<C extends Rankable, Entry>(
  candidates: readonly C[],
  costOf: (candidate: C) => number,
  efficiencyOf: (candidate: C) => number,
  criteria: RankingCriteria,
  toEntry: (candidate: C, score: number, criteria: RankingCriteria) => Entry,
): Entry[] {
  const size = candidates.length;
  figures.reserve(size);
  const { group, cost, latencyMs, quality, efficiency, order } = figures;
  const floor = floorOf(criteria);
  let place = 0;
  for (const candidate of candidates) {
    const attempts = expectedAttempts(candidate.errorRate);
    group[place] = (candidate.isWanted ? 0 : UNWANTED) + (candidate.quality >= floor ? 0 : UNQUALIFIED);
    cost[place] = costOf(candidate) * attempts;
    latencyMs[place] = candidate.latencyMs * attempts;
    quality[place] = candidate.quality / attempts;
    efficiency[place] = efficiencyOf(candidate);
    order[place] = place;
    place++;
  }
  const scores = sortFigures(size, criteria);
  // Of this size from the start: a list that grows takes several times the room.
  const entries = new Array<Entry>(size);
  for (place = 0; place < size; place++) {
    const chosen = order[place] ?? 0;
    entries[place] = toEntry(candidates[chosen] as C, at(scores, chosen), criteria);
  }
  return entries;
}

/** The quality from which on a candidate qualifies. It never makes a request fail. */
function floorOf({ strategy, qualityFloor, speedFloor = 0 }: RankingCriteria): number {
  switch (strategy) {
    case "cost-optimized":
      return qualityFloor;
    case "speed-optimized":
      return speedFloor;
    case "quality-optimized":
    case "hybrid":
      return Number.NEGATIVE_INFINITY;
  }
}

/** Sorts the order by the strategy. Returns what it compared. */
function sortFigures(size: number, { strategy, weights }: RankingCriteria): Float64Array {
  const { cost, latencyMs, quality, score } = figures;
  switch (strategy) {
    // The lowest expected cost of an answer, including failed calls, among candidates whose quality clears the floor.
    case "cost-optimized":
      setKeysByLeast(size, cost);
      sortOrder(0, size, compareByCost);
      return cost;
    // The shortest expected time until the last token, including failed calls, among candidates that may well satisfy.
    case "speed-optimized":
      setKeysByLeast(size, latencyMs);
      sortOrder(0, size, compareBySpeed);
      return latencyMs;
    case "quality-optimized":
      setKeysByMost(size, quality);
      sortOrder(0, size, compareNothing);
      sortQualityTies(size);
      return quality;
    // The highest expected worth by the account's weights.
    case "hybrid":
      scoreByWorth(size, weights);
      setKeysByMost(size, score);
      sortOrder(0, size, compareByEfficiency);
      return score;
  }
}
