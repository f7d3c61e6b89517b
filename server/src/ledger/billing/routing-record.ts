import { fullNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { PromptFeatures } from "@trunkline/core/prediction.ts";
import { type Candidate, displayScore, type Route } from "@trunkline/core/route.ts";

/** How many models a record lists on either side of the choice: enough to explain it, small enough to keep for ever. */
const LISTED_MODELS = 12;

/** A choice as it is put on record. What is as it usually is, is left out, as it is written for every request. */
export function routingRecord(route: Route, chosen: Candidate | undefined) {
  const { explored: exploration } = route;
  const excluded = route.excluded();
  return {
    strategy: route.strategy,
    chosen_by: route.chosenBy,
    weights: route.strategy === "hybrid" ? route.weights : undefined,
    quality_floor: route.qualityFloor,
    task: route.task.kind,
    reading: featuresRecord(route.promptFeatures),
    sticky_to: route.stickyTo,
    propensity: roundPropensity(route.propensity),
    explored: exploration && {
      propensity: roundPropensity(exploration.propensity),
      instead_of: exploration.insteadOf,
    },
    candidates: notableCandidates(route.candidates, chosen).map((candidate) => ({
      model: fullNameOf(candidate.model),
      // Where not all are listed, the place is not what can be counted.
      place: route.candidates.length > LISTED_MODELS ? route.candidates.indexOf(candidate) + 1 : undefined,
      predicted_quality: round(candidate.quality),
      lower_quality: round(candidate.lowerQuality),
      unlearnt_quality: roundIfDefined(candidate.unlearnt),
      evidence: candidate.evidence === 0 ? undefined : round(candidate.evidence),
      below_floor: candidate.clearsFloor ? undefined : true,
      expected_latency_ms: round(candidate.latencyMs),
      queue_ms: candidate.time.queueMs === 0 ? undefined : round(candidate.time.queueMs),
      first_token_ms: round(candidate.time.firstTokenMs),
      tokens_per_second: roundIfDefined(candidate.time.tokensPerSecond),
      expected_output_tokens: candidate.quote.usualOutputTokens,
      estimated_cost: toCredits(candidate.quote.estimate),
      worst_case_cost: toCredits(candidate.quote.worst),
      price_version: candidate.quote.price.version,
      error_rate: candidate.errorRate === 0 ? undefined : round(candidate.errorRate),
      state: candidate.state === "closed" ? undefined : candidate.state,
      in_flight: candidate.inFlight === 0 ? undefined : candidate.inFlight,
      score: displayScore(route.strategy, candidate.score),
      wanted: candidate.isWanted ? true : undefined,
      tier: candidate.tier === 0 ? undefined : candidate.tier,
      reasons: candidate.reasons,
    })),
    candidates_total: route.candidates.length,
    left_out: excluded.slice(0, LISTED_MODELS),
    left_out_total: excluded.length,
  };
}

/** What the request was taken for: outcomes that come later are counted for the domains that it was of. */
function featuresRecord({ domain, family, confidence, difficulty, shares }: PromptFeatures) {
  return {
    domain,
    family,
    confidence: round(confidence),
    difficulty: round(difficulty),
    shares: shares.map((one) => [one.domain, round(one.share)]),
  };
}

/** The first of them, and the one that answered, the cheapest, the fastest and the best, which another strategy might have chosen. */
function notableCandidates(candidates: readonly Candidate[], chosen: Candidate | undefined): readonly Candidate[] {
  if (candidates.length <= LISTED_MODELS) return candidates;
  const [first] = candidates;
  let [cheapest, fastest, best] = [first, first, first];
  for (const candidate of candidates) {
    if (cheapest === undefined || candidate.quote.estimate < cheapest.quote.estimate) cheapest = candidate;
    if (fastest === undefined || candidate.latencyMs < fastest.latencyMs) fastest = candidate;
    if (best === undefined || candidate.quality > best.quality) best = candidate;
  }
  const leading = candidates.slice(0, LISTED_MODELS - 4);
  // Whoever went on with an answer was quoted anew: it is known by its model.
  const answered = candidates.find(({ model }) => model.id === chosen?.model.id);
  const notable = new Set([...leading, answered, cheapest, fastest, best]);
  return candidates.filter((candidate) => notable.has(candidate));
}

/** To six decimals: what is rare has to be told from what is rarer. */
function roundPropensity(propensity: number | undefined): number | undefined {
  return propensity === undefined ? undefined : Math.round(propensity * 1e6) / 1e6;
}

/** To three decimals. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function roundIfDefined(value: number | undefined): number | undefined {
  return value === undefined ? undefined : round(value);
}
