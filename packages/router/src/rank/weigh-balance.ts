import type { Weights } from "@trunkline/core/weights.ts";
import type { Compared } from "./standing.ts";

/**
 * Differences smaller than these are not blown up to "best" and "worst":
 * a fifth of quality, a factor of four in cost and in time.
 */
const LEAST_QUALITY_SPAN = 0.2;
const LEAST_LOG_SPAN = Math.log(4);

/** A millionth of a credit: below it, cheaper is no longer worth anything. */
const NEGLIGIBLE_COST = 1_000;

/** Cost and time are compared by their ratio, so that one very dear model does not make all others look alike. */
export function weighBalance(standings: readonly Compared[], weights: Weights): void {
  const quality = scale(standings, LEAST_QUALITY_SPAN, (standing) => standing.quality);
  const cost = scale(standings, LEAST_LOG_SPAN, (standing) => Math.log(standing.cost + NEGLIGIBLE_COST));
  const time = scale(standings, LEAST_LOG_SPAN, (standing) => Math.log(standing.latencyMs + 1));
  for (const [index, standing] of standings.entries()) {
    standing.score =
      weights.quality * (quality[index] ?? 0) -
      weights.cost * (cost[index] ?? 0) -
      weights.speed * (time[index] ?? 0);
  }
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
