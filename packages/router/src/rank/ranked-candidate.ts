import type { Strategy } from "@trunkline/core/inference.ts";
import { formatCredits } from "@trunkline/core/money.ts";
import type { Fit } from "@trunkline/core/prediction.ts";
import type { Candidate, RankedCandidate, TierKind } from "@trunkline/core/route.ts";
import { describeLoweredFloor } from "./settle-floors.ts";
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

  get clearsFloor(): boolean {
    return this.candidate.quality >= this.#criteria.qualityFloor;
  }

  get reasons(): readonly string[] {
    const { candidate, firstPlaceReason } = this;
    const tier = TIER_REASONS[candidate.tierKind];
    const strategy = strategyReason(candidate, this.#criteria.strategy);
    const floor = floorReason(candidate, this.#criteria);
    // Most candidates have no further reasons, and a list that grows takes several times the room.
    const reasons = floor === undefined ? [tier, strategy] : [tier, strategy, floor];
    for (const reason of ownReasons(candidate)) reasons.push(reason);
    if (firstPlaceReason !== undefined) reasons.push(firstPlaceReason);
    return reasons;
  }
}

/** A candidate as a step of a cascade, whose order is by cost alone. */
export class CascadeStep implements RankedCandidate {
  readonly candidate: Candidate;
  readonly score: number;
  readonly clearsFloor: boolean;
  readonly #isFirst: boolean;

  constructor({ candidate, score, clearsFloor }: RankedCandidate, isFirst: boolean) {
    this.candidate = candidate;
    this.score = score;
    this.clearsFloor = clearsFloor;
    this.#isFirst = isFirst;
  }

  get reasons(): readonly string[] {
    const { candidate } = this;
    const place = this.#isFirst
      ? "asked first by the cascade"
      : "asked by the cascade if those before it fail the check";
    return [TIER_REASONS[candidate.tierKind], costReason(candidate), place, ...ownReasons(candidate)];
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

const NO_REASONS: readonly string[] = [];

/** What speaks for and against a candidate with every strategy. */
function ownReasons({ fit, model, errorRate }: Candidate): readonly string[] {
  const fitReason = FIT_REASONS[fit];
  if (fitReason === undefined && model.state !== "probation" && expectedAttempts(errorRate) === 1) return NO_REASONS;
  const reasons = fitReason === undefined ? [] : [fitReason];
  if (model.state === "probation") reasons.push("on probation");
  if (expectedAttempts(errorRate) > 1) {
    reasons.push(`ranked lower, as ${Math.round(errorRate * 100)} % of its recent calls failed`);
  }
  return reasons;
}

/** How the candidate stands to what the strategy asks of its quality, where that matters. */
function floorReason(
  { quality }: Candidate,
  { strategy, qualityFloor, loweredFloor, speedFloor = 0 }: RankingCriteria,
): string | undefined {
  if (strategy === "speed-optimized" && quality < speedFloor) {
    const [own, best] = apart(quality, 2 * speedFloor);
    return `its quality of ${own} is less than half of the ${best} of others that take little longer: after them`;
  }
  if (strategy !== "cost-optimized") return undefined;
  const lowered = loweredFloor === undefined ? undefined : describeLoweredFloor(loweredFloor);
  if (quality >= qualityFloor) return lowered;
  const [own, floor] = apart(quality, qualityFloor);
  return lowered === undefined
    ? `its quality of ${own} is below the floor of ${floor}: after all that clear it`
    : `its quality of ${own} is below ${floor}: ${lowered}`;
}

/** Two qualities with as many decimals as it takes to tell them apart. */
export function apart(one: number, other: number): readonly [string, string] {
  for (const decimals of [2, 3]) {
    const [first, second] = [roundQuality(one, decimals), roundQuality(other, decimals)];
    if (first !== second) return [first, second];
  }
  const decimals = one === other ? 2 : 4;
  return [roundQuality(one, decimals), roundQuality(other, decimals)];
}

/** A quality below 1 is never said to be certain. */
function roundQuality(quality: number, decimals = 2): string {
  const highest = 1 - 10 ** -decimals;
  return (quality < 1 ? Math.min(quality, highest) : quality).toFixed(decimals);
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
  return `predicted quality ${roundQuality(quality)}`;
}
