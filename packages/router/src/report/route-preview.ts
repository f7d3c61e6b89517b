import type { Strategy } from "@trunkline/core/inference.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { PromptFeatures } from "@trunkline/core/prediction.ts";
import {
  type Candidate,
  displayScore,
  type Excluded,
  type Measure,
  type RankedCandidate,
  type Route,
  winningMarginOf,
} from "@trunkline/core/route.ts";
import { whyFirst } from "./why-first.ts";

/** What `POST /v1/routing/preview` answers. */
export interface RoutePreview {
  readonly strategy: Strategy;
  /** Left out where the request is no cascade. */
  readonly cascade?: true;
  readonly task: string;
  readonly quality_floor: number;
  readonly reading: PromptFeatures;
  readonly measure: Measure;
  readonly candidates: readonly CandidatePreview[];
  readonly runner_up: string | null;
  readonly margin: number | null;
  readonly why: string;
  readonly explored: false | { readonly propensity: number; readonly instead_of: string };
  readonly sticky_to: string | null;
  readonly left_out: readonly Excluded[];
}

interface CandidatePreview {
  readonly model: string;
  readonly predicted_quality: number;
  readonly lower_quality: number;
  readonly evidence: number;
  readonly clears_floor: boolean;
  readonly expected_latency_ms: number;
  readonly queue_ms: number;
  readonly first_token_ms: number;
  readonly tokens_per_second: number | null;
  readonly expected_output_tokens: number;
  readonly estimated_cost: number;
  readonly worst_case_cost: number;
  readonly state: Candidate["state"];
  readonly error_rate: number;
  readonly in_flight: number;
  readonly score: number;
  readonly reasons: readonly string[];
}

/** A route as clients see it: the figures that the choice was made from. No provider is called. */
export function previewRoute(route: Route): RoutePreview {
  const { strategy, explored } = route;
  const { measure, runnerUp, margin } = winningMarginOf(
    strategy,
    route.ranking.map(({ candidate: { model, tier }, score }) => ({
      model: fullNameOf(model),
      tier,
      score: displayScore(strategy, score),
    })),
  );
  return {
    strategy,
    ...(route.isCascade === true ? { cascade: true } : {}),
    task: route.task.known ? route.task.kind : route.task.word,
    quality_floor: route.qualityFloor,
    reading: roundedFeatures(route.promptFeatures),
    measure,
    candidates: route.ranking.map((ranked) => previewCandidate(ranked, route)),
    runner_up: runnerUp ?? null,
    margin: margin ?? null,
    why: whyFirst(route),
    explored: explored === undefined ? false : { propensity: explored.propensity, instead_of: explored.insteadOf },
    sticky_to: route.stickyTo ?? null,
    left_out: route.excluded(),
  };
}

function previewCandidate({ candidate, score, clearsFloor, reasons }: RankedCandidate, route: Route): CandidatePreview {
  const { quote, time } = candidate;
  return {
    model: fullNameOf(candidate.model),
    predicted_quality: round(candidate.quality),
    lower_quality: round(candidate.lowerQuality),
    evidence: round(candidate.evidence),
    clears_floor: clearsFloor,
    expected_latency_ms: Math.round(candidate.latencyMs),
    queue_ms: Math.round(time.queueMs),
    first_token_ms: Math.round(time.firstTokenMs),
    tokens_per_second: time.tokensPerSecond === undefined ? null : Math.round(time.tokensPerSecond * 10) / 10,
    expected_output_tokens: quote.usualOutputTokens,
    estimated_cost: toCredits(quote.estimate),
    worst_case_cost: toCredits(quote.worst),
    state: candidate.state,
    error_rate: round(candidate.errorRate),
    in_flight: candidate.inFlight,
    score: displayScore(route.strategy, score),
    reasons,
  };
}

function roundedFeatures({ domain, family, confidence, difficulty, shares }: PromptFeatures): PromptFeatures {
  return {
    domain,
    family,
    confidence: round(confidence),
    difficulty: round(difficulty),
    shares: shares.map((one) => ({ domain: one.domain, share: round(one.share) })),
  };
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
