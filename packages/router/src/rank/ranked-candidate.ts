import type { Strategy } from "@trunkline/core/inference.ts";
import { formatCredits } from "@trunkline/core/money.ts";
import type { Fit } from "@trunkline/core/prediction.ts";
import type { Candidate, RankedCandidate, TierKind } from "@trunkline/core/route.ts";
import { expectedAttempts, type RankingCriteria } from "./strategies.ts";

/** A ranked candidate whose reasons are formatted only when they are read, because every request is ranked. */
export class ExplainedCandidate implements RankedCandidate {
  readonly candidate: Candidate;
  readonly score: number;
  /** Why it is first in its tier, where the strategy alone did not put it there. */
  firstPlaceReason: string | undefined;
  readonly #criteria: RankingCriteria;

  constructor(candidate: Candidate, score: number, criteria: RankingCriteria) {
    this.candidate = candidate;
    this.score = score;
    this.#criteria = criteria;
  }

  get reasons(): readonly string[] {
    const reasons = rankingReasons(this.candidate, this.#criteria);
    return this.firstPlaceReason === undefined ? reasons : [...reasons, this.firstPlaceReason];
  }
}

const TIER_REASONS: Readonly<Record<TierKind, string>> = {
  automatic: "fits the task and every bound of the request",
  named: "named by the request",
  fallback: "a fallback that the request names",
  backup: "a configured backup of the named model",
  "built-in": "built in, since no registered model can serve this",
};

const FIT_REASONS: Readonly<Record<Fit, string | undefined>> = {
  listed: "lists this kind of work",
  related: "lists related work",
  other: "lists other work only",
  unsaid: undefined,
};

function rankingReasons(candidate: Candidate, { strategy, qualityFloor }: RankingCriteria): string[] {
  const { quality, errorRate } = candidate;
  const reasons = [TIER_REASONS[candidate.tierKind], strategyReason(candidate, strategy)];
  if (strategy === "cost-optimized" && quality < qualityFloor) {
    reasons.push(
      `its quality of ${quality.toFixed(2)} is below the floor of ${qualityFloor.toFixed(2)}: after all that clear it`,
    );
  }
  const fit = FIT_REASONS[candidate.fit];
  if (fit !== undefined) reasons.push(fit);
  if (candidate.model.state === "probation") reasons.push("on probation");
  if (expectedAttempts(errorRate) > 1) {
    reasons.push(`ranked lower, as ${Math.round(errorRate * 100)} % of its recent calls failed`);
  }
  return reasons;
}

function strategyReason(candidate: Candidate, strategy: Strategy): string {
  switch (strategy) {
    case "cost-optimized":
      return costReason(candidate);
    case "speed-optimized":
      return timeReason(candidate);
    case "quality-optimized":
      return qualityReason(candidate);
    case "hybrid":
      return `${costReason(candidate)}, ${timeReason(candidate)}, ${qualityReason(candidate)}`;
  }
}

function costReason({ quote }: Candidate): string {
  return `estimated at ${formatCredits(quote.estimate)}`;
}

function timeReason({ latencyMs }: Candidate): string {
  return `expected within ${Math.round(latencyMs)} ms`;
}

function qualityReason({ quality }: Candidate): string {
  return `predicted quality ${quality.toFixed(2)}`;
}
