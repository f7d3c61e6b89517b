import type { Strategy } from "../domain/inference.ts";
import type { Weights } from "../domain/weights.ts";

/** Fewer failures than this are noise and must not decide between two good models. */
const NOISE_ERROR_RATE = 0.1;
const WORST_ERROR_RATE = 0.95;

/**
 * Differences smaller than these are not blown up to "best" and "worst":
 * a fifth of quality, a factor of four in cost and in time.
 */
const LEAST_QUALITY_SPAN = 0.2;
const LEAST_LOG_SPAN = Math.log(4);

/** A millionth of a credit: below it, cheaper is no longer worth anything. */
const NEGLIGIBLE_COST = 1_000;

/** What models are compared by. Amounts are floats here and only here: they order models and never charge anyone. */
export interface Figures {
  /** The client's word is unknown and the model lists it. */
  readonly isWanted: boolean;
  /** Nano-credits. */
  readonly cost: number;
  readonly latencyMs: number;
  readonly quality: number;
  /** 0 to 1, of recent calls. */
  readonly errorRate: number;
  /** Only parts what is otherwise equal. */
  readonly efficiency: number;
}

interface Standing<Item> {
  readonly item: Item;
  readonly wanted: number;
  readonly cost: number;
  readonly latencyMs: number;
  readonly quality: number;
  readonly efficiency: number;
  balance: number;
}

type Compared = Standing<unknown>;

const byCost = (a: Compared, b: Compared) => a.cost - b.cost;
const byLatency = (a: Compared, b: Compared) => a.latencyMs - b.latencyMs;
const byQuality = (a: Compared, b: Compared) => b.quality - a.quality;
const byEfficiency = (a: Compared, b: Compared) => b.efficiency - a.efficiency;
const byBalance = (a: Compared, b: Compared) => b.balance - a.balance;

const COMPARE: Readonly<Record<Strategy, (a: Compared, b: Compared) => number>> = {
  "cost-optimized": (a, b) => byCost(a, b) || byQuality(a, b) || byLatency(a, b) || byEfficiency(a, b),
  "speed-optimized": (a, b) => byLatency(a, b) || byCost(a, b) || byQuality(a, b) || byEfficiency(a, b),
  "quality-optimized": (a, b) => byQuality(a, b) || byCost(a, b) || byLatency(a, b) || byEfficiency(a, b),
  hybrid: (a, b) => byBalance(a, b) || byEfficiency(a, b) || byCost(a, b),
};

/** Orders what competes, best first, by the figures of each. Equal ones keep the order they came in. */
export function rankByFigures<Item>(
  items: readonly Item[],
  figuresOf: (item: Item) => Figures,
  { strategy, weights }: { readonly strategy: Strategy; readonly weights: Weights },
): Item[] {
  if (items.length < 2) return [...items];
  const standings = items.map((item) => standingOf(item, figuresOf(item)));
  if (strategy === "hybrid") weighBalance(standings, weights);
  const compare = COMPARE[strategy];
  standings.sort((a, b) => b.wanted - a.wanted || compare(a, b));
  return standings.map(({ item }) => item);
}

/** How many calls it takes to get an answer, if every call fails as often as the recent ones. */
export function expectedAttempts(errorRate: number): number {
  return errorRate <= NOISE_ERROR_RATE ? 1 : 1 / (1 - Math.min(errorRate, WORST_ERROR_RATE));
}

function standingOf<Item>(item: Item, figures: Figures): Standing<Item> {
  const attempts = expectedAttempts(figures.errorRate);
  return {
    item,
    wanted: figures.isWanted ? 1 : 0,
    cost: figures.cost * attempts,
    latencyMs: figures.latencyMs * attempts,
    quality: figures.quality / attempts,
    efficiency: figures.efficiency,
    balance: 0,
  };
}

/** Cost and time are compared by their ratio, so that one very dear model does not make all others look alike. */
function weighBalance(standings: readonly Compared[], weights: Weights): void {
  const quality = scale(standings, LEAST_QUALITY_SPAN, (standing) => standing.quality);
  const cost = scale(standings, LEAST_LOG_SPAN, (standing) => Math.log(standing.cost + NEGLIGIBLE_COST));
  const time = scale(standings, LEAST_LOG_SPAN, (standing) => Math.log(standing.latencyMs + 1));
  standings.forEach((standing, index) => {
    standing.balance =
      weights.quality * (quality[index] ?? 0) -
      weights.cost * (cost[index] ?? 0) -
      weights.speed * (time[index] ?? 0);
  });
}

/** Moves the values onto 0 to 1. */
function scale(
  standings: readonly Compared[],
  leastSpan: number,
  measure: (standing: Compared) => number,
): number[] {
  const values = standings.map(measure);
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const span = Math.max(most - least, leastSpan);
  return values.map((value) => (value - least) / span);
}
