import type { Candidate, Exploration } from "@trunkline/core/route.ts";
import { claimedLatencyMs } from "../predict/expected-time.ts";
import { ExplainedCandidate } from "./ranked-candidate.ts";
import { expectedAttempts, mapByStrategy, type RankingCriteria } from "./strategies.ts";

/** The candidates of one tier in the order in which they are tried, and how the first got its place. */
export interface RankedTier {
  readonly ranking: readonly ExplainedCandidate[];
  /** The candidate that the strategy ranked first. */
  readonly best: Candidate | undefined;
  /** How many candidates drew for the first place. They are the first in the ranking. 1: no draw. */
  readonly tiedCount: number;
  /** The probability that the first candidate got its place; 1: no random choice was involved. */
  readonly propensity: number;
  /** `provider/name` of the model that the session stays with; it is the first. */
  readonly stickyTo: string | undefined;
  readonly explored: Exploration | undefined;
}

/** The same ranking with one candidate moved to the first place. */
export function moveToFront(ranking: readonly ExplainedCandidate[], place: number): readonly ExplainedCandidate[] {
  const moved = ranking[place];
  if (moved === undefined || place === 0) return ranking;
  return [moved, ...ranking.slice(0, place), ...ranking.slice(place + 1)];
}

/** Ranks the candidates of one tier, best first. Equal candidates keep their order. */
export function rankCandidates(
  candidates: readonly Candidate[],
  criteria: RankingCriteria,
): readonly ExplainedCandidate[] {
  return mapByStrategy(candidates, costOf, efficiencyOf, criteria, explained);
}

function explained(candidate: Candidate, score: number, criteria: RankingCriteria): ExplainedCandidate {
  return new ExplainedCandidate(candidate, score, criteria);
}

function costOf({ quote }: Candidate): number {
  return Number(quote.estimate);
}

/** The provider's own claim, which only decides between candidates that are equal otherwise. */
function efficiencyOf({ model: { costEfficiency } }: Candidate): number {
  if (costEfficiency === "high") return 3;
  return costEfficiency === "low" ? 1 : 2;
}

/** Neither failing nor blocked by its breaker: no random choice sends a request to an endpoint in trouble. */
export function isHealthy({ available, errorRate }: Candidate): boolean {
  return available && expectedAttempts(errorRate) === 1;
}

/** From this many calls on, the measurements of two endpoints can be compared. */
const MIN_MEASURED_CALLS = 20;

/**
 * Whether one candidate takes at most `factor` times as long as another. Claims are compared until both are measured:
 * otherwise an endpoint that was never called would always look slower than one that was.
 */
export function isWithinTimeFactor(one: Candidate, other: Candidate, factor: number): boolean {
  if (one.calls >= MIN_MEASURED_CALLS && other.calls >= MIN_MEASURED_CALLS)
    return one.latencyMs <= other.latencyMs * factor;
  return claimedLatencyMs(one.model) <= claimedLatencyMs(other.model) * factor;
}
