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
  /** 1: lists the client's unknown task word. Such candidates come first with every strategy. */
  wanted = new Uint8Array(0);
  /** 1: it comes before all that do not qualify: by its quality, or in a tie of quality by its time. */
  qualifies = new Uint8Array(0);
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
    this.wanted = new Uint8Array(room);
    this.qualifies = new Uint8Array(room);
    this.cost = new Float64Array(room);
    this.latencyMs = new Float64Array(room);
    this.quality = new Float64Array(room);
    this.efficiency = new Float64Array(room);
    this.score = new Float64Array(room);
    this.order = new Uint32Array(room);
  }
}

const figures = new RankingFigures();

/** Negative: the candidate at the first place is better. */
type Comparison = (one: number, other: number) => number;

/** Candidates that qualify first; those that do not, the best first: a failure must not lead to the weakest. */
const compareByFloor: Comparison = (one, other) => {
  const { qualifies, quality } = figures;
  return (
    at(qualifies, other) - at(qualifies, one) || (at(qualifies, one) === 0 ? at(quality, other) - at(quality, one) : 0)
  );
};

/**
 * The lowest expected cost of an answer, including failed calls, among candidates whose quality clears the floor. The
 * others follow: the floor never makes a request fail.
 */
const compareByCost: Comparison = (one, other) => {
  const { wanted, cost, quality, latencyMs, efficiency } = figures;
  return (
    at(wanted, other) - at(wanted, one) ||
    compareByFloor(one, other) ||
    at(cost, one) - at(cost, other) ||
    at(quality, other) - at(quality, one) ||
    at(latencyMs, one) - at(latencyMs, other) ||
    at(efficiency, other) - at(efficiency, one)
  );
};

/** The shortest expected time until the last token, including failed calls, among candidates that may well satisfy. */
const compareBySpeed: Comparison = (one, other) => {
  const { wanted, cost, quality, latencyMs, efficiency } = figures;
  return (
    at(wanted, other) - at(wanted, one) ||
    compareByFloor(one, other) ||
    at(latencyMs, one) - at(latencyMs, other) ||
    at(cost, one) - at(cost, other) ||
    at(quality, other) - at(quality, one) ||
    at(efficiency, other) - at(efficiency, one)
  );
};

/** By quality alone. */
const compareByQuality: Comparison = (one, other) => {
  const { wanted, quality } = figures;
  return at(wanted, other) - at(wanted, one) || at(quality, other) - at(quality, one);
};

/** Among candidates of equal quality, the cheapest first of those that do not take several times as long as others. */
const compareInQualityTie: Comparison = (one, other) => {
  const { qualifies, cost, quality, latencyMs, efficiency } = figures;
  return (
    at(qualifies, other) - at(qualifies, one) ||
    at(cost, one) - at(cost, other) ||
    at(quality, other) - at(quality, one) ||
    at(latencyMs, one) - at(latencyMs, other) ||
    at(efficiency, other) - at(efficiency, one)
  );
};

/** The highest expected worth by the account's weights. */
const compareByWorth: Comparison = (one, other) => {
  const { wanted, score, efficiency, cost } = figures;
  return (
    at(wanted, other) - at(wanted, one) ||
    at(score, other) - at(score, one) ||
    at(efficiency, other) - at(efficiency, one) ||
    at(cost, one) - at(cost, other)
  );
};

function at(values: Float64Array | Uint8Array, place: number): number {
  return values[place] ?? 0;
}

/** Sorts a part of the order, best first, by insertion. Equal candidates keep their order. */
function sortOrder(from: number, to: number, compare: Comparison): void {
  const { order } = figures;
  for (let next = from + 1; next < to; next++) {
    const moved = order[next] ?? 0;
    if (compare(order[next - 1] ?? 0, moved) <= 0) continue;
    let low = from;
    let high = next - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(order[middle] ?? 0, moved) <= 0) low = middle + 1;
      else high = middle;
    }
    order.copyWithin(low + 1, low, next);
    order[low] = moved;
  }
}

/** Sorts each run of equal qualities by cost. */
function sortQualityTies(size: number): void {
  for (let from = 0; from < size; ) {
    const to = endOfTie(from, size);
    if (to - from > 1) {
      markQuick(from, to);
      sortOrder(from, to, compareInQualityTie);
    }
    from = to;
  }
}

/** Marks the candidates of a tie that do not take several times as long as the fastest of it. */
function markQuick(from: number, to: number): void {
  const { order, latencyMs, qualifies } = figures;
  let least = Number.POSITIVE_INFINITY;
  for (let index = from; index < to; index++) least = Math.min(least, at(latencyMs, order[index] ?? 0));
  for (let index = from; index < to; index++) {
    const place = order[index] ?? 0;
    qualifies[place] = at(latencyMs, place) <= TIED_TIME_FACTOR * least ? 1 : 0;
  }
}

/** The end of the candidates whose quality equals that of the one at `from`, in an order by quality. */
function endOfTie(from: number, size: number): number {
  const { order, wanted, quality } = figures;
  const best = order[from] ?? 0;
  let end = from + 1;
  for (; end < size; end++) {
    const next = order[end] ?? 0;
    if (wanted[next] !== wanted[best] || at(quality, next) < at(quality, best) - QUALITY_TIE_MARGIN) break;
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
  const { wanted, qualifies, cost, latencyMs, quality, efficiency, order } = figures;
  const { strategy, qualityFloor, speedFloor = 0 } = criteria;
  const floor = strategy === "speed-optimized" ? speedFloor : qualityFloor;
  let place = 0;
  for (const candidate of candidates) {
    const attempts = expectedAttempts(candidate.errorRate);
    wanted[place] = candidate.isWanted ? 1 : 0;
    qualifies[place] = candidate.quality >= floor ? 1 : 0;
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

/** Sorts the order by the strategy. Returns what it compared. */
function sortFigures(size: number, { strategy, weights }: RankingCriteria): Float64Array {
  switch (strategy) {
    case "cost-optimized":
      sortOrder(0, size, compareByCost);
      return figures.cost;
    case "speed-optimized":
      sortOrder(0, size, compareBySpeed);
      return figures.latencyMs;
    case "quality-optimized":
      sortOrder(0, size, compareByQuality);
      sortQualityTies(size);
      return figures.quality;
    case "hybrid":
      scoreByWorth(size, weights);
      sortOrder(0, size, compareByWorth);
      return figures.score;
  }
}
