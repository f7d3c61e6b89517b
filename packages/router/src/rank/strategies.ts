import type { Caller } from "@trunkline/core/caller.ts";
import {
  DEFAULT_WEIGHTS,
  type Inference,
  type Preferences,
  type Strategy,
  type StrategyWeights,
} from "@trunkline/core/inference.ts";
import type { Candidate, Route } from "@trunkline/core/route.ts";

/** How candidates are ranked, and who decided that. */
export type RoutingPolicy = Pick<Route, "strategy" | "weights" | "qualityFloor" | "chosenBy">;

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

/** One preference is a strategy. Several, or `balanced`, make `hybrid`. */
function preferredStrategy({ speed, cost, quality }: Preferences): Strategy | undefined {
  const preferred: Strategy[] = [];
  if (speed === "fast") preferred.push("speed-optimized");
  if (cost === "low") preferred.push("cost-optimized");
  if (quality === "high") preferred.push("quality-optimized");
  if (preferred.length === 1) return preferred[0];
  if (preferred.length > 1) return "hybrid";
  return speed === "balanced" || cost === "balanced" || quality === "balanced" ? "hybrid" : undefined;
}

/** A lower error rate is noise and must not decide between two good models. */
const NOISE_ERROR_RATE = 0.1;
const MAX_ERROR_RATE = 0.95;

/** What ranking reads of a candidate, beside its cost. */
export type Rankable = Pick<Candidate, "isWanted" | "latencyMs" | "quality" | "sureQuality" | "errorRate">;

/**
 * A candidate with the figures that the strategies compare. A candidate that fails often needs more calls for one
 * answer. Amounts are floats here: they order candidates and are never charged.
 */
interface SortEntry<C> {
  readonly candidate: C;
  readonly isWanted: boolean;
  readonly clearsFloor: boolean;
  /** Nano-credits. */
  readonly cost: number;
  readonly latencyMs: number;
  readonly quality: number;
  /** Only decides between candidates that are equal otherwise. */
  readonly efficiency: number;
  /** What the strategy compares. */
  score: number;
}

type AnyEntry = SortEntry<unknown>;

/** How many calls one answer takes if calls fail as often as the recent ones. */
export function expectedAttempts(errorRate: number): number {
  return errorRate <= NOISE_ERROR_RATE ? 1 : 1 / (1 - Math.min(errorRate, MAX_ERROR_RATE));
}

/**
 * The smallest spans that are scaled to 0 to 1, so that small differences stay small: a fifth of quality, a factor of
 * four in cost and in time.
 */
const MIN_QUALITY_SPAN = 0.2;
const MIN_LOG_SPAN = Math.log(4);

/** A millionth of a credit. Below it, cheaper makes no difference. */
const NEGLIGIBLE_COST = 1_000;

/** Cost and time are compared by their ratio, so that one very expensive model does not make all others look equal. */
function scoreByBalance(entries: readonly AnyEntry[], weights: StrategyWeights): void {
  const quality = scale(entries, MIN_QUALITY_SPAN, (entry) => entry.quality);
  const cost = scale(entries, MIN_LOG_SPAN, (entry) => Math.log(entry.cost + NEGLIGIBLE_COST));
  const time = scale(entries, MIN_LOG_SPAN, (entry) => Math.log(entry.latencyMs + 1));
  for (const [index, entry] of entries.entries()) {
    entry.score =
      weights.quality * (quality[index] ?? 0) - weights.cost * (cost[index] ?? 0) - weights.speed * (time[index] ?? 0);
  }
}

/** Scales the values to 0 to 1. */
function scale(entries: readonly AnyEntry[], minSpan: number, measure: (entry: AnyEntry) => number): number[] {
  const values = entries.map(measure);
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const span = Math.max(most - least, minSpan);
  return values.map((value) => (value - least) / span);
}

/**
 * Sets each entry's score and sorts the entries, best first. Models that list the client's unknown task word come first
 * with every strategy. Equal entries keep their order.
 */
type Sorter = (entries: AnyEntry[], weights: StrategyWeights) => void;

/** Qualities within this margin count as equal, because no prediction is more exact. */
export const QUALITY_TIE_MARGIN = 0.01;

const byWanted = (a: AnyEntry, b: AnyEntry) => Number(b.isWanted) - Number(a.isWanted);
const byFloor = (a: AnyEntry, b: AnyEntry) => Number(b.clearsFloor) - Number(a.clearsFloor);
const byCost = (a: AnyEntry, b: AnyEntry) => a.cost - b.cost;
const byTime = (a: AnyEntry, b: AnyEntry) => a.latencyMs - b.latencyMs;
const byQuality = (a: AnyEntry, b: AnyEntry) => b.quality - a.quality;
const byEfficiency = (a: AnyEntry, b: AnyEntry) => b.efficiency - a.efficiency;
const byScore = (a: AnyEntry, b: AnyEntry) => b.score - a.score;

/**
 * The lowest expected cost of an answer, including failed calls, among candidates whose quality clears the floor. The
 * others follow, cheapest first: the floor never makes a request fail.
 */
const sortByCost: Sorter = (entries) => {
  for (const entry of entries) entry.score = entry.cost;
  entries.sort(
    (a, b) => byWanted(a, b) || byFloor(a, b) || byCost(a, b) || byQuality(a, b) || byTime(a, b) || byEfficiency(a, b),
  );
};

/** The shortest expected time until the last token, including failed calls. */
const sortBySpeed: Sorter = (entries) => {
  for (const entry of entries) entry.score = entry.latencyMs;
  entries.sort((a, b) => byWanted(a, b) || byTime(a, b) || byCost(a, b) || byQuality(a, b) || byEfficiency(a, b));
};

/** By quality; among candidates of equal quality, the cheapest first. */
const sortByQuality: Sorter = (entries) => {
  for (const entry of entries) entry.score = entry.quality;
  entries.sort((a, b) => byWanted(a, b) || byQuality(a, b));
  for (let from = 0; from < entries.length; ) {
    const to = endOfTie(entries, from);
    if (to - from > 1) {
      const tied = entries
        .slice(from, to)
        .sort((a, b) => byCost(a, b) || byQuality(a, b) || byTime(a, b) || byEfficiency(a, b));
      entries.splice(from, tied.length, ...tied);
    }
    from = to;
  }
};

/** The best balance of quality, cost and time by the account's weights. */
const sortByBalance: Sorter = (entries, weights) => {
  scoreByBalance(entries, weights);
  entries.sort((a, b) => byWanted(a, b) || byScore(a, b) || byEfficiency(a, b) || byCost(a, b));
};

const SORTERS: Readonly<Record<Strategy, Sorter>> = {
  "cost-optimized": sortByCost,
  "speed-optimized": sortBySpeed,
  "quality-optimized": sortByQuality,
  hybrid: sortByBalance,
};

/** The end of the entries whose quality equals that of the one at `from`, in an order by quality. */
function endOfTie(entries: readonly AnyEntry[], from: number): number {
  const best = entries[from];
  let end = from + 1;
  for (let next = entries[end]; next !== undefined && best !== undefined; next = entries[++end]) {
    if (next.isWanted !== best.isWanted || next.quality < best.quality - QUALITY_TIE_MARGIN) break;
  }
  return end;
}

export type RankingCriteria = Pick<Route, "strategy" | "weights" | "qualityFloor">;

/** Orders candidates by the strategy, best first. Equal candidates keep their order. */
export function rankByStrategy<C extends Rankable>(
  candidates: readonly C[],
  costOf: (candidate: C) => number,
  efficiencyOf: (candidate: C) => number,
  { strategy, weights, qualityFloor }: RankingCriteria,
): readonly { readonly candidate: C; readonly score: number }[] {
  const entries = candidates.map((candidate): SortEntry<C> => {
    const attempts = expectedAttempts(candidate.errorRate);
    return {
      candidate,
      isWanted: candidate.isWanted,
      clearsFloor: candidate.sureQuality >= qualityFloor,
      cost: costOf(candidate) * attempts,
      latencyMs: candidate.latencyMs * attempts,
      quality: candidate.quality / attempts,
      efficiency: efficiencyOf(candidate),
      score: 0,
    };
  });
  SORTERS[strategy](entries, weights);
  return entries;
}
