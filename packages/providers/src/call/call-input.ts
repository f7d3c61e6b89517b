import type { Adapter } from "@trunkline/core/adapter.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { KeyCooldown } from "@trunkline/core/key-rotation.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Attempt } from "@trunkline/core/provider-failure.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import type { EndpointHealth } from "../health/endpoint-health.ts";
import type { SkipReason } from "./faults.ts";

export interface CallCandidatesInput {
  /** The models to try, best first. */
  readonly candidates: readonly Candidate[];
  readonly inference: Inference;
  readonly requestId: string;
  /** For whom it is. */
  readonly accountId: string;
  /** Ends the calls that run. Every adapter heeds it. */
  readonly signal: AbortSignal;
  readonly adapterFor: (model: Model) => Adapter;
  readonly health: EndpointHealth;
  readonly clock: Clock;
  /** Asked before each call; false where the candidate's worst case can't be covered: it is then passed over. */
  readonly coverCost: (candidate: Candidate) => Promise<boolean>;
  /** Takes one further attempt out of the account's budget for retries; false where it is spent. */
  readonly mayRetry: () => boolean;
  /** The same candidate, quoted for a request that became longer; undefined where it can't serve it. */
  readonly requote: (candidate: Candidate, inference: Inference) => Candidate | undefined;
  /** How many tokens a text has, by our own count. */
  readonly countTokens: (text: string) => number;
  /** Told once for each call that was made, when it is over. */
  readonly onAttempt: (attempt: Attempt) => void;
  /**
   * Told before the first part, and again before the first part of whoever goes on with an answer that broke off: from
   * here on this candidate is the one that answers, and these fields of the request are those that it could not be told.
   */
  readonly onChosen: (candidate: Candidate, dropped: readonly string[]) => void;
  /** Told when one of our keys for a provider was refused. */
  readonly onKeyCooldown?: (model: Model, rest: KeyCooldown) => void;
  /** 0 to 1; by this the time before the same endpoint is called again is drawn. */
  readonly random: () => number;
  /** Resolves after so many milliseconds; rejects when the signal goes off before. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Each model once, in the order of the route. */
export function uniqueByModel(candidates: readonly Candidate[]): readonly Candidate[] {
  const byModel = new Map<string, Candidate>();
  for (const candidate of candidates) if (!byModel.has(candidate.model.id)) byModel.set(candidate.model.id, candidate);
  return [...byModel.values()];
}

/**
 * Why a candidate can't be called now, or undefined: then its slot is taken and its worst case is covered. The last resort
 * takes no slot, as another call may have it.
 */
export async function whySkip(
  { health, coverCost: secure, mayRetry }: Pick<CallCandidatesInput, "health" | "coverCost" | "mayRetry">,
  candidate: Candidate,
  { lastResort = false, isRetry = false }: { readonly lastResort?: boolean; readonly isRetry?: boolean },
): Promise<SkipReason | undefined> {
  const { id } = candidate.model;
  if (!lastResort && !health.admit(id)) return "not admitted";
  let obstacle: SkipReason | undefined = "not covered";
  try {
    if (await secure(candidate)) obstacle = isRetry && !mayRetry() ? "no retries left" : undefined;
  } finally {
    if (obstacle !== undefined && !lastResort) health.abandoned(id);
  }
  return obstacle;
}
