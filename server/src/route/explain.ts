import type { Strategy } from "../domain/inference.ts";
import { fullNameOf } from "../domain/model.ts";
import type { LeftOut, Route } from "../domain/route.ts";
import { toCredits } from "../kit/money.ts";

/** What `POST /v1/routing/preview` answers. */
export interface RoutePreview {
  readonly strategy: Strategy;
  readonly task: string;
  readonly candidates: readonly {
    readonly model: string;
    readonly predicted_quality: number;
    readonly expected_latency_ms: number;
    readonly estimated_cost: number;
    readonly worst_case_cost: number;
    readonly reasons: readonly string[];
  }[];
  readonly left_out: readonly LeftOut[];
}

/** A route as a client may read it, without calling anyone. */
export function explainRoute(route: Route): RoutePreview {
  return {
    strategy: route.strategy,
    task: route.task.known ? route.task.kind : route.task.word,
    candidates: route.candidates.map((candidate) => ({
      model: fullNameOf(candidate.model),
      predicted_quality: Math.round(candidate.quality * 1_000) / 1_000,
      expected_latency_ms: Math.round(candidate.latencyMs),
      estimated_cost: toCredits(candidate.quote.estimate),
      worst_case_cost: toCredits(candidate.quote.worst),
      reasons: candidate.reasons,
    })),
    left_out: route.leftOut,
  };
}
