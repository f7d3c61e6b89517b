import type { Strategy } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import { formatCredits } from "@trunkline/core/money.ts";
import type { Candidate, ExpectedTime, Health, Quote } from "@trunkline/core/route.ts";
import type { TierKind } from "../candidates/catalogue.ts";
import type { EligibleModel } from "../candidates/eligibility.ts";
import { expectedAttempts, type RankingCriteria, type ScoredItem } from "./strategies.ts";

/**
 * A prospect with its place. Its reasons are put into words only when somebody asks for them,
 * as this runs for every request; so they are no property of its own that a spread would copy.
 */
export class RankedCandidate implements Candidate {
  readonly model: Model;
  readonly quote: Quote;
  readonly quality: number;
  readonly lowerQuality: number;
  readonly unlearnt: number | undefined;
  readonly evidence: number;
  readonly latencyMs: number;
  readonly time: ExpectedTime;
  readonly errorRate: number;
  readonly state: Health["state"];
  readonly inFlight: number;
  readonly clearsFloor: boolean;
  readonly score: number;
  readonly isWanted: boolean;
  readonly tier: number;
  readonly #eligibleModel: EligibleModel;
  readonly #rankingCriteria: RankingCriteria;
  /** Why it is the first of its tier, where that is not the strategy's doing alone. */
  readonly #note: string | undefined;

  constructor(
    { item, wanted, clearsFloor, score }: ScoredItem<EligibleModel>,
    tier: number,
    rankingCriteria: RankingCriteria,
    note: string | undefined,
  ) {
    this.model = item.model;
    this.quote = item.quote;
    this.quality = item.prediction.quality;
    this.lowerQuality = item.prediction.lower;
    this.unlearnt = item.prediction.unlearnt;
    this.evidence = item.prediction.evidence;
    this.latencyMs = item.time.wholeMs;
    this.time = item.time;
    this.errorRate = item.health.errorRate;
    this.state = item.health.state;
    this.inFlight = item.health.inFlight ?? 0;
    this.clearsFloor = clearsFloor;
    this.score = score;
    this.isWanted = wanted > 0;
    this.tier = tier;
    this.#eligibleModel = item;
    this.#rankingCriteria = rankingCriteria;
    this.#note = note;
  }

  get reasons(): readonly string[] {
    const reasons = rankingReasons(this.#eligibleModel, this.clearsFloor, this.#rankingCriteria);
    return this.#note === undefined ? reasons : [...reasons, this.#note];
  }
}

const TIER_REASONS: Readonly<Record<TierKind, string>> = {
  automatic: "fits the task and every bound of the request",
  named: "named by the request",
  fallback: "a fallback that the request names",
  backup: "a configured backup of the named model",
  "built-in": "built in, since no registered model can serve this",
};

const FIT_REASONS: Readonly<Record<EligibleModel["fit"], string | undefined>> = {
  listed: "lists this kind of work",
  related: "lists related work",
  other: "lists other work only",
  unsaid: undefined,
};

/** Why a model stands where it stands, in words. */
function rankingReasons(
  eligibleModel: EligibleModel,
  clearsFloor: boolean,
  rankingCriteria: RankingCriteria,
): string[] {
  const { strategy, qualityFloor } = rankingCriteria;
  const reasons = [TIER_REASONS[eligibleModel.tier], strategyReason(eligibleModel, strategy)];
  if (strategy === "cost-optimized" && !clearsFloor) {
    reasons.push(`${belowFloorReason(eligibleModel)} the floor of ${qualityFloor.toFixed(2)}: after all that clear it`);
  }
  const fit = FIT_REASONS[eligibleModel.fit];
  if (fit !== undefined) reasons.push(fit);
  if (eligibleModel.model.state === "probation") reasons.push("on probation");
  const { errorRate } = eligibleModel.health;
  if (expectedAttempts(errorRate) > 1) {
    reasons.push(`ranked lower, as ${Math.round(errorRate * 100)} % of its recent calls failed`);
  }
  return reasons;
}

function belowFloorReason({ prediction: { quality, lower, evidence } }: EligibleModel): string {
  return evidence > 0
    ? `its quality may be as low as ${lower.toFixed(2)}, below`
    : `its claimed quality of ${quality.toFixed(2)} is below`;
}

function strategyReason({ quote, time: { wholeMs }, prediction }: EligibleModel, strategy: Strategy): string {
  const cost = `estimated at ${formatCredits(quote.estimate)}`;
  const time = `expected within ${Math.round(wholeMs)} ms`;
  const worth = `predicted quality ${prediction.quality.toFixed(2)}`;
  switch (strategy) {
    case "cost-optimized":
      return cost;
    case "speed-optimized":
      return time;
    case "quality-optimized":
      return worth;
    case "hybrid":
      return `${cost}, ${time}, ${worth}`;
  }
}
