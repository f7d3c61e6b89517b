import type { Strategy, Task } from "../domain/inference.ts";
import { listsWord } from "./fit-task.ts";
import type { Prospect } from "./prospect.ts";

/** Fewer failures than this are noise and must not decide between two good models. */
const NOISE_ERROR_RATE = 0.1;
const WORST_ERROR_RATE = 0.95;

/** What the balance of `hybrid` weighs: cost against performance, which is quality and speed. */
const HYBRID_WEIGHTS = { quality: 0.4, cost: 0.4, speed: 0.2 };

/**
 * Differences smaller than these are not blown up to "best" and "worst":
 * a fifth of quality, a factor of four in cost and in time.
 */
const LEAST_QUALITY_SPAN = 0.2;
const LEAST_LOG_SPAN = Math.log(4);

/** A millionth of a credit: below it, cheaper is no longer worth anything. */
const NEGLIGIBLE_COST = 1_000;

/** What is compared. Amounts are floats here and only here: they order models and never charge anyone. */
interface Standing {
  readonly prospect: Prospect;
  /** 1 where the client's word is unknown and the model lists it. */
  readonly wanted: number;
  readonly cost: number;
  readonly latencyMs: number;
  readonly quality: number;
  readonly efficiency: number;
  balance: number;
}

const byCost = (a: Standing, b: Standing) => a.cost - b.cost;
const byLatency = (a: Standing, b: Standing) => a.latencyMs - b.latencyMs;
const byQuality = (a: Standing, b: Standing) => b.quality - a.quality;
const byEfficiency = (a: Standing, b: Standing) => b.efficiency - a.efficiency;
const byBalance = (a: Standing, b: Standing) => b.balance - a.balance;

const COMPARE: Readonly<Record<Strategy, (a: Standing, b: Standing) => number>> = {
  "cost-optimized": (a, b) => byCost(a, b) || byQuality(a, b) || byLatency(a, b) || byEfficiency(a, b),
  "speed-optimized": (a, b) => byLatency(a, b) || byCost(a, b) || byQuality(a, b) || byEfficiency(a, b),
  "quality-optimized": (a, b) => byQuality(a, b) || byCost(a, b) || byLatency(a, b) || byEfficiency(a, b),
  hybrid: (a, b) => byBalance(a, b) || byEfficiency(a, b) || byCost(a, b),
};

/** Orders models that compete with one another, best first. Equal ones keep the order they came in. */
export function rankProspects(prospects: readonly Prospect[], task: Task, strategy: Strategy): Prospect[] {
  if (prospects.length < 2) return [...prospects];
  const standings = prospects.map((prospect) => standingOf(prospect, task));
  if (strategy === "hybrid") weighBalance(standings);
  const compare = COMPARE[strategy];
  standings.sort((a, b) => b.wanted - a.wanted || compare(a, b));
  return standings.map(({ prospect }) => prospect);
}

/** How many calls it takes to get an answer, if every call fails as often as the recent ones. */
export function expectedAttempts(errorRate: number): number {
  return errorRate <= NOISE_ERROR_RATE ? 1 : 1 / (1 - Math.min(errorRate, WORST_ERROR_RATE));
}

function standingOf(prospect: Prospect, task: Task): Standing {
  const { model, quote, health } = prospect;
  const attempts = expectedAttempts(health.errorRate);
  return {
    prospect,
    wanted: !task.known && listsWord(model, task) ? 1 : 0,
    cost: Number(quote.estimate) * attempts,
    latencyMs: prospect.latencyMs * attempts,
    quality: prospect.quality / attempts,
    efficiency: efficiencyOf(model.costEfficiency),
    balance: 0,
  };
}

/** The provider's own word, which is no more than a word: it only parts what is otherwise equal. */
function efficiencyOf(level: string | undefined): number {
  if (level === "high") return 3;
  return level === "low" ? 1 : 2;
}

/** Cost and time are compared by their ratio, so that one very dear model does not make all others look alike. */
function weighBalance(standings: readonly Standing[]): void {
  const quality = scale(standings, LEAST_QUALITY_SPAN, (standing) => standing.quality);
  const cost = scale(standings, LEAST_LOG_SPAN, (standing) => Math.log(standing.cost + NEGLIGIBLE_COST));
  const time = scale(standings, LEAST_LOG_SPAN, (standing) => Math.log(standing.latencyMs + 1));
  standings.forEach((standing, index) => {
    standing.balance =
      HYBRID_WEIGHTS.quality * (quality[index] ?? 0) -
      HYBRID_WEIGHTS.cost * (cost[index] ?? 0) -
      HYBRID_WEIGHTS.speed * (time[index] ?? 0);
  });
}

/** Moves the values onto 0 to 1. */
function scale(
  standings: readonly Standing[],
  leastSpan: number,
  measure: (standing: Standing) => number,
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
