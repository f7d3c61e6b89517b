import { type JsonFields, JsonRecord } from "@trunkline/core/json-fields.ts";
import { cachedFullNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { DomainShare, PromptFeatures } from "@trunkline/core/prediction.ts";
import { type Candidate, displayScore, type RankedCandidate, type Route } from "@trunkline/core/route.ts";
import { whyFirst } from "@trunkline/router/report/why-first.ts";

/** How many candidates, and how many excluded models, a record lists: enough to explain a choice, small enough to store. */
const LISTED_MODELS = 12;

/** A route as it is stored. Usual values are left out, since it is written for every request. */
export function routingRecord(route: Route, chosen: Candidate | undefined): JsonFields {
  return ROUTE.of(route, chosen);
}

const ROUTE = new JsonRecord<Route, Candidate | undefined>({
  strategy: ({ strategy }) => strategy,
  cascade: ({ isCascade }) => (isCascade === true ? true : undefined),
  chosen_by: ({ chosenBy }) => chosenBy,
  weights: ({ strategy, weights }) => (strategy === "hybrid" ? weights : undefined),
  quality_floor: ({ qualityFloor }) => qualityFloor,
  task: ({ task }) => task.kind,
  reading: ({ promptFeatures }) => READING.of(promptFeatures, undefined),
  sticky_to: ({ stickyTo }) => stickyTo,
  why: (route) => whyFirst(route),
  propensity: ({ propensity }) => roundPropensity(propensity),
  explored: ({ explored }) =>
    explored && { propensity: roundPropensity(explored.propensity), instead_of: explored.insteadOf },
  candidates: (route, chosen) => notableCandidates(route.ranking, chosen).map((ranked) => CANDIDATE.of(ranked, route)),
  candidates_total: ({ ranking }) => ranking.length,
  left_out: ({ excluded }) => excluded().slice(0, LISTED_MODELS),
  left_out_total: ({ excluded }) => excluded().length,
});

const CANDIDATE = new JsonRecord<RankedCandidate, Route>({
  model: ({ candidate }) => cachedFullNameOf(candidate.model),
  // When not all candidates are listed, a candidate's index in the list is not its place.
  place: (ranked, { ranking }) => (ranking.length > LISTED_MODELS ? ranking.indexOf(ranked) + 1 : undefined),
  predicted_quality: ({ candidate }) => round(candidate.quality),
  lower_quality: ({ candidate }) => round(candidate.lowerQuality),
  unlearnt_quality: ({ candidate }) => roundIfDefined(candidate.unlearnt),
  evidence: ({ candidate }) => roundUnlessZero(candidate.evidence),
  below_floor: ({ clearsFloor }) => (clearsFloor ? undefined : true),
  expected_latency_ms: ({ candidate }) => round(candidate.latencyMs),
  queue_ms: ({ candidate }) => roundUnlessZero(candidate.time.queueMs),
  first_token_ms: ({ candidate }) => round(candidate.time.firstTokenMs),
  tokens_per_second: ({ candidate }) => roundIfDefined(candidate.time.tokensPerSecond),
  expected_output_tokens: ({ candidate }) => candidate.quote.usualOutputTokens,
  estimated_cost: ({ candidate }) => toCredits(candidate.quote.estimate),
  worst_case_cost: ({ candidate }) => toCredits(candidate.quote.worst),
  price_version: ({ candidate }) => candidate.quote.price.version,
  error_rate: ({ candidate }) => roundUnlessZero(candidate.errorRate),
  state: ({ candidate }) => (candidate.state === "closed" ? undefined : candidate.state),
  in_flight: ({ candidate }) => (candidate.inFlight === 0 ? undefined : candidate.inFlight),
  score: ({ score }, { strategy }) => displayScore(strategy, score),
  wanted: ({ candidate }) => (candidate.isWanted ? true : undefined),
  tier: ({ candidate }) => (candidate.tier === 0 ? undefined : candidate.tier),
  reasons: ({ reasons }) => reasons,
});

/** The request's features. Later outcomes are counted for its domains. */
const READING = new JsonRecord<PromptFeatures, undefined>({
  domain: ({ domain }) => domain,
  family: ({ family }) => family,
  confidence: ({ confidence }) => round(confidence),
  difficulty: ({ difficulty }) => round(difficulty),
  shares: ({ shares }) => shares.map(shareRecord),
});

/** By domain and thousandths: a rounded share as it is stored. All requests have the same few thousands of them. */
const shareRecords = new Map<string, (readonly [domain: string, share: number] | undefined)[]>();

function shareRecord({ domain, share }: DomainShare): readonly [domain: string, share: number] {
  const thousandths = Math.round(share * THOUSAND);
  let ofDomain = shareRecords.get(domain);
  if (ofDomain === undefined) {
    ofDomain = new Array(THOUSAND + 1).fill(undefined);
    shareRecords.set(domain, ofDomain);
  }
  const known = ofDomain[thousandths];
  if (known !== undefined) return known;
  const record = [domain, thousandths / THOUSAND] as const;
  ofDomain[thousandths] = record;
  return record;
}

const THOUSAND = 1000;

/** The first candidates, the one that answered, and the cheapest, fastest and best: other strategies might choose those. */
function notableCandidates(
  ranking: readonly RankedCandidate[],
  chosen: Candidate | undefined,
): readonly RankedCandidate[] {
  if (ranking.length <= LISTED_MODELS) return ranking;
  const [first] = ranking;
  let [cheapest, fastest, best] = [first, first, first];
  for (const ranked of ranking) {
    const { quote, latencyMs, quality } = ranked.candidate;
    if (cheapest === undefined || quote.estimate < cheapest.candidate.quote.estimate) cheapest = ranked;
    if (fastest === undefined || latencyMs < fastest.candidate.latencyMs) fastest = ranked;
    if (best === undefined || quality > best.candidate.quality) best = ranked;
  }
  const leading = ranking.slice(0, LISTED_MODELS - 4);
  // A candidate that continued an answer has a new quote, so it is another object. The model identifies it.
  const answered = ranking.find(({ candidate }) => candidate.model.id === chosen?.model.id);
  const notable = new Set([...leading, answered, cheapest, fastest, best]);
  return ranking.filter((ranked) => notable.has(ranked));
}

/** To six decimals: small probabilities must stay distinguishable. */
function roundPropensity(propensity: number | undefined): number | undefined {
  return propensity === undefined ? undefined : Math.round(propensity * 1e6) / 1e6;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function roundUnlessZero(value: number): number | undefined {
  return value === 0 ? undefined : round(value);
}

function roundIfDefined(value: number | undefined): number | undefined {
  return value === undefined ? undefined : round(value);
}
