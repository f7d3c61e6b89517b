import type { Strategy } from "@trunkline/core/inference.ts";
import type { Weights } from "@trunkline/core/weights.ts";
import type { Compared } from "./standing.ts";
import { weighBalance } from "./weigh-balance.ts";

/** What a strategy is after, stated. Whoever lists the client's unknown word comes before all others, whatever the strategy. */
interface Optimisation {
  /** Gives each its score and puts the best first. Equal ones keep the order they came in. */
  arrange(standings: Compared[], weights: Weights): void;
}

/** Qualities that are no further apart than this are taken for the same: no prediction is as fine as that. */
export const NEAR_TIE = 0.01;

const byWanted = (a: Compared, b: Compared) => b.wanted - a.wanted;
const byFloor = (a: Compared, b: Compared) => Number(b.clearsFloor) - Number(a.clearsFloor);
const byCost = (a: Compared, b: Compared) => a.cost - b.cost;
const byTime = (a: Compared, b: Compared) => a.latencyMs - b.latencyMs;
const byQuality = (a: Compared, b: Compared) => b.quality - a.quality;
const byEfficiency = (a: Compared, b: Compared) => b.efficiency - a.efficiency;
const byScore = (a: Compared, b: Compared) => b.score - a.score;

/**
 * The least expected cost of an answer, calls that fail included, among those whose quality surely clears the floor.
 * The others come after all of these, cheapest first: the floor never makes a request fail.
 */
const cost: Optimisation = {
  arrange(standings) {
    for (const standing of standings) standing.score = standing.cost;
    standings.sort(
      (a, b) =>
        byWanted(a, b) ||
        byFloor(a, b) ||
        byCost(a, b) ||
        byQuality(a, b) ||
        byTime(a, b) ||
        byEfficiency(a, b),
    );
  },
};

/** The least expected time until the last token, calls that fail included. */
const speed: Optimisation = {
  arrange(standings) {
    for (const standing of standings) standing.score = standing.latencyMs;
    standings.sort(
      (a, b) => byWanted(a, b) || byTime(a, b) || byCost(a, b) || byQuality(a, b) || byEfficiency(a, b),
    );
  },
};

/** The cheapest of those that are as good as the best, then the cheapest of those that are as good as the best of the rest. */
const quality: Optimisation = {
  arrange(standings) {
    for (const standing of standings) standing.score = standing.quality;
    standings.sort((a, b) => byWanted(a, b) || byQuality(a, b));
    for (let from = 0; from < standings.length; ) {
      const to = endOfTie(standings, from);
      if (to - from > 1) {
        const tied = standings
          .slice(from, to)
          .sort((a, b) => byCost(a, b) || byQuality(a, b) || byTime(a, b) || byEfficiency(a, b));
        standings.splice(from, tied.length, ...tied);
      }
      from = to;
    }
  },
};

/** The greatest balance of quality, cost and time, weighed as the account does. */
const hybrid: Optimisation = {
  arrange(standings, weights) {
    weighBalance(standings, weights);
    standings.sort((a, b) => byWanted(a, b) || byScore(a, b) || byEfficiency(a, b) || byCost(a, b));
  },
};

/** What each strategy is after. */
export const OPTIMISATIONS: Readonly<Record<Strategy, Optimisation>> = {
  "cost-optimized": cost,
  "speed-optimized": speed,
  "quality-optimized": quality,
  hybrid,
};

/** Where those end that are as good as the one at `from`, in an order by quality. */
function endOfTie(standings: readonly Compared[], from: number): number {
  const best = standings[from];
  let end = from + 1;
  for (let next = standings[end]; next !== undefined && best !== undefined; next = standings[++end]) {
    if (next.wanted !== best.wanted || next.quality < best.quality - NEAR_TIE) break;
  }
  return end;
}
