import type { Strategy } from "@trunkline/core/inference.ts";
import { writeCredits } from "@trunkline/core/write-credits.ts";
import type { TierKind } from "../candidates/list-tiers.ts";
import type { Prospect } from "../candidates/prospect.ts";
import type { Ranking } from "./rank-by-figures.ts";
import { expectedAttempts } from "./standing.ts";

const WHY_TIER: Readonly<Record<TierKind, string>> = {
  automatic: "fits the task and every bound of the request",
  named: "named by the request",
  fallback: "a fallback that the request names",
  backup: "a configured backup of the named model",
  "built-in": "built in, since no registered model can serve this",
};

const WHY_FIT: Readonly<Record<Prospect["fit"], string | undefined>> = {
  listed: "lists this kind of work",
  related: "lists related work",
  other: "lists other work only",
  unsaid: undefined,
};

/** Why a model stands where it stands, in words. */
export function reasonsFor(prospect: Prospect, clearsFloor: boolean, ranking: Ranking): string[] {
  const { strategy, qualityFloor } = ranking;
  const reasons = [WHY_TIER[prospect.tier], whyRank(prospect, strategy)];
  if (strategy === "cost-optimized" && !clearsFloor) {
    reasons.push(`${whyBelow(prospect)} the floor of ${qualityFloor.toFixed(2)}: after all that clear it`);
  }
  const fit = WHY_FIT[prospect.fit];
  if (fit !== undefined) reasons.push(fit);
  if (prospect.model.state === "probation") reasons.push("on probation");
  const { errorRate } = prospect.health;
  if (expectedAttempts(errorRate) > 1) {
    reasons.push(`ranked lower, as ${Math.round(errorRate * 100)} % of its recent calls failed`);
  }
  return reasons;
}

function whyBelow({ prediction: { quality, lower, evidence } }: Prospect): string {
  return evidence > 0
    ? `its quality may be as low as ${lower.toFixed(2)}, below`
    : `its claimed quality of ${quality.toFixed(2)} is below`;
}

function whyRank({ quote, time: { wholeMs }, prediction }: Prospect, strategy: Strategy): string {
  const cost = `estimated at ${writeCredits(quote.estimate)}`;
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
