import type { Strategy } from "@trunkline/core/inference.ts";
import { formatCredits } from "@trunkline/core/write-credits.ts";
import type { TierKind } from "../candidates/list-tiers.ts";
import type { EligibleModel } from "../candidates/prospect.ts";
import type { RankingCriteria } from "./rank-by-figures.ts";
import { expectedAttempts } from "./standing.ts";

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
export function rankingReasons(
  eligibleModel: EligibleModel,
  clearsFloor: boolean,
  rankingCriteria: RankingCriteria,
): string[] {
  const { strategy, qualityFloor } = rankingCriteria;
  const reasons = [TIER_REASONS[eligibleModel.tier], strategyReason(eligibleModel, strategy)];
  if (strategy === "cost-optimized" && !clearsFloor) {
    reasons.push(
      `${belowFloorReason(eligibleModel)} the floor of ${qualityFloor.toFixed(2)}: after all that clear it`,
    );
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
