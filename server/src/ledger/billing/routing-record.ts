import type { StrategyWeights } from "@trunkline/core/inference.ts";
import { cachedFullNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { PromptFeatures } from "@trunkline/core/prediction.ts";
import { type Candidate, displayScore, type RankedCandidate, type Route } from "@trunkline/core/route.ts";
import { numberToJson, roundedToJson, textsToJson, textToJson } from "./json-text.ts";

/** How many candidates, and how many excluded models, a record lists: enough to explain a choice, small enough to store. */
const LISTED_MODELS = 12;

/** A route as it is stored, in JSON. Usual values are left out, since it is written for every request. */
export function routingRecord(route: Route, chosen: Candidate | undefined): string {
  const { strategy, explored, ranking } = route;
  let json = `{"strategy":"${strategy}","chosen_by":"${route.chosenBy}"`;
  if (strategy === "hybrid") json += `,"weights":${weightsToJson(route.weights)}`;
  json += `,"quality_floor":${numberToJson(route.qualityFloor)},"task":${textToJson(route.task.kind)}`;
  json += `,"reading":${featuresRecord(route.promptFeatures)}`;
  if (route.stickyTo !== undefined) json += `,"sticky_to":${textToJson(route.stickyTo)}`;
  if (route.propensity !== undefined) json += `,"propensity":${propensityToJson(route.propensity)}`;
  if (explored !== undefined)
    json += `,"explored":{"propensity":${propensityToJson(explored.propensity)},"instead_of":${textToJson(explored.insteadOf)}}`;
  json += ',"candidates":[';
  const notable = notableCandidates(ranking, chosen);
  for (let index = 0; index < notable.length; index++) {
    const ranked = notable[index];
    if (ranked === undefined) continue;
    // When not all candidates are listed, a candidate's index in the list is not its place.
    const place = ranking.length > LISTED_MODELS ? ranking.indexOf(ranked) + 1 : undefined;
    json += index === 0 ? candidateRecord(route, ranked, place) : `,${candidateRecord(route, ranked, place)}`;
  }
  const excluded = route.excluded();
  json += `],"candidates_total":${ranking.length},"left_out":[`;
  for (let index = 0; index < excluded.length && index < LISTED_MODELS; index++) {
    const one = excluded[index];
    if (one === undefined) continue;
    json += `${index === 0 ? "" : ","}{"model":${textToJson(one.model)},"reason":${textToJson(one.reason)}}`;
  }
  return `${json}],"left_out_total":${excluded.length}}`;
}

function candidateRecord(route: Route, { candidate, score, reasons }: RankedCandidate, place: number | undefined) {
  const { unlearnt, evidence, time, quote, errorRate, state, inFlight, tier } = candidate;
  let json = `{"model":${textToJson(cachedFullNameOf(candidate.model))}`;
  if (place !== undefined) json += `,"place":${place}`;
  json += `,"predicted_quality":${roundedToJson(candidate.quality)},"lower_quality":${roundedToJson(candidate.lowerQuality)}`;
  if (unlearnt !== undefined) json += `,"unlearnt_quality":${roundedToJson(unlearnt)}`;
  if (evidence !== 0) json += `,"evidence":${roundedToJson(evidence)}`;
  if (!(candidate.sureQuality >= route.qualityFloor)) json += ',"below_floor":true';
  json += `,"expected_latency_ms":${roundedToJson(candidate.latencyMs)}`;
  if (time.queueMs !== 0) json += `,"queue_ms":${roundedToJson(time.queueMs)}`;
  json += `,"first_token_ms":${roundedToJson(time.firstTokenMs)}`;
  if (time.tokensPerSecond !== undefined) json += `,"tokens_per_second":${roundedToJson(time.tokensPerSecond)}`;
  json += `,"expected_output_tokens":${numberToJson(quote.usualOutputTokens)}`;
  json += `,"estimated_cost":${toCredits(quote.estimate)},"worst_case_cost":${toCredits(quote.worst)}`;
  json += `,"price_version":${textToJson(quote.price.version)}`;
  if (errorRate !== 0) json += `,"error_rate":${roundedToJson(errorRate)}`;
  if (state !== "closed") json += `,"state":"${state}"`;
  if (inFlight !== 0) json += `,"in_flight":${inFlight}`;
  json += `,"score":${numberToJson(displayScore(route.strategy, score))}`;
  if (candidate.isWanted) json += ',"wanted":true';
  if (tier !== 0) json += `,"tier":${tier}`;
  return `${json},"reasons":${textsToJson(reasons)}}`;
}

/** The weights of an account, or of the service, are the same object in all its requests. */
const jsonOfWeights = new WeakMap<StrategyWeights, string>();

function weightsToJson(weights: StrategyWeights): string {
  let json = jsonOfWeights.get(weights);
  if (json === undefined) {
    json = JSON.stringify(weights);
    jsonOfWeights.set(weights, json);
  }
  return json;
}

/** The request's features. Later outcomes are counted for its domains. */
function featuresRecord({ domain, family, confidence, difficulty, shares }: PromptFeatures): string {
  let json = `{"domain":${textToJson(domain)},"family":${textToJson(family)}`;
  json += `,"confidence":${roundedToJson(confidence)},"difficulty":${roundedToJson(difficulty)},"shares":[`;
  for (let index = 0; index < shares.length; index++) {
    const one = shares[index];
    if (one === undefined) continue;
    json += `${index === 0 ? "" : ","}[${textToJson(one.domain)},${roundedToJson(one.share)}]`;
  }
  return `${json}]}`;
}

/** The first candidates, the one that answered, and the cheapest, fastest and best: other strategies might choose those. */
function notableCandidates(
  ranking: readonly RankedCandidate[],
  chosen: Candidate | undefined,
): readonly RankedCandidate[] {
  if (ranking.length <= LISTED_MODELS) return ranking;
  const [first] = ranking;
  let [cheapest, fastest, best] = [first, first, first];
  let answered: RankedCandidate | undefined;
  for (const ranked of ranking) {
    const { quote, latencyMs, quality, model } = ranked.candidate;
    // A candidate that continued an answer has a new quote, so it is another object. The model identifies it.
    if (answered === undefined && model.id === chosen?.model.id) answered = ranked;
    if (cheapest === undefined || quote.estimate < cheapest.candidate.quote.estimate) cheapest = ranked;
    if (fastest === undefined || latencyMs < fastest.candidate.latencyMs) fastest = ranked;
    if (best === undefined || quality > best.candidate.quality) best = ranked;
  }
  const notable = ranking.slice(0, LISTED_MODELS - 4);
  for (let place = notable.length; place < ranking.length; place++) {
    const ranked = ranking[place];
    const isNotable = ranked === answered || ranked === cheapest || ranked === fastest || ranked === best;
    if (ranked !== undefined && isNotable) notable.push(ranked);
  }
  return notable;
}

/** To six decimals: small probabilities must stay distinguishable. */
function propensityToJson(propensity: number): string {
  return numberToJson(Math.round(propensity * 1e6) / 1e6);
}
