import type { Adapter, KeyCooldown } from "@trunkline/core/adapter.ts";
import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Attempt } from "@trunkline/core/provider-failure.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import type { CallSpan } from "@trunkline/core/trace-context.ts";
import type { EndpointHealth } from "../health/endpoint-health.ts";
import type { SkipReason } from "./faults.ts";

export interface CallCandidatesInput {
  /** The models to try, best first. */
  readonly candidates: readonly Candidate[];
  readonly inference: Inference;
  readonly requestId: string;
  /** The account that the calls are made for. */
  readonly accountId: string;
  /** Starts the span of a call; undefined, or returning it: no traces are made. */
  readonly startSpan?: () => CallSpan | undefined;
  /** Ends the calls in flight. Every adapter obeys it. */
  readonly signal: CancelSignal;
  readonly adapterFor: (model: Model) => Adapter;
  readonly health: EndpointHealth;
  /** Called before each call. False if the credits do not cover the candidate's worst case: it is then skipped. */
  readonly coverCost: (candidate: Candidate) => boolean | Promise<boolean>;
  /** Takes one retry from the account's budget; false if none is left. */
  readonly mayRetry: () => boolean;
  /** The same candidate, quoted for a request that became longer; undefined if it can't serve that request. */
  readonly requote: (candidate: Candidate, inference: Inference) => Candidate | undefined;
  /** How many tokens a text has, by our own estimate. */
  readonly countTokens: (text: string) => number;
  /** A provider's own words on its failure as they may be shown and stored; undefined: they may not. */
  readonly screenWords?: (words: string) => string | undefined;
  /** Called once for each call that was made, when it has ended. */
  readonly onAttempt: (attempt: Attempt) => void;
  /**
   * Called before the first part, and again before the first part of each continuation: from here on this candidate
   * answers. `unsupported` names the fields of the request that it has no equivalent for.
   */
  readonly onChosen: (candidate: Candidate, unsupported: readonly string[]) => void;
  /** Called when one of several provider keys is not used for a while. */
  readonly onKeyCooldown?: (model: Model, cooldown: KeyCooldown) => void;
  /** 0 to 1; draws the delay before the same endpoint is called again. */
  readonly random: () => number;
  /** Resolves after this time; rejects if the signal aborts before. */
  readonly wait: (ms: number, signal: CancelSignal) => Promise<void>;
}

/** Each model once, in the order of the route. */
export function uniqueByModel(candidates: readonly Candidate[]): readonly Candidate[] {
  if (candidates.length < 2) return candidates;
  const ids = new Set<string>();
  for (const { model } of candidates) ids.add(model.id);
  if (ids.size === candidates.length) return candidates;
  return candidates.filter(({ model }) => ids.delete(model.id));
}

type SkipInput = Pick<CallCandidatesInput, "health" | "coverCost" | "mayRetry">;

/**
 * Why a candidate can't be called now. If undefined, its endpoint has admitted the call and its worst case is covered.
 * A last-resort call needs no admission, and leaves the slot of a half-open breaker to the call that holds it. Returns a
 * promise only where the credits have to be asked for.
 */
export function whySkip(
  input: SkipInput,
  candidate: Candidate,
  lastResort: boolean,
  isRetry: boolean,
): SkipReason | undefined | Promise<SkipReason | undefined> {
  const { id } = candidate.model;
  if (!lastResort && !input.health.admit(id)) return "not admitted";
  let covering: boolean | Promise<boolean>;
  try {
    covering = input.coverCost(candidate);
  } catch (error) {
    if (!lastResort) input.health.release(id);
    throw error;
  }
  return covering instanceof Promise
    ? whySkipOnceKnown(input, id, lastResort, isRetry, covering)
    : whySkipIf(input, id, lastResort, isRetry, covering);
}

async function whySkipOnceKnown(
  input: SkipInput,
  modelId: string,
  lastResort: boolean,
  isRetry: boolean,
  covering: Promise<boolean>,
): Promise<SkipReason | undefined> {
  let isCovered: boolean;
  try {
    isCovered = await covering;
  } catch (error) {
    if (!lastResort) input.health.release(modelId);
    throw error;
  }
  return whySkipIf(input, modelId, lastResort, isRetry, isCovered);
}

function whySkipIf(
  input: SkipInput,
  modelId: string,
  lastResort: boolean,
  isRetry: boolean,
  isCovered: boolean,
): SkipReason | undefined {
  if (isCovered && !(isRetry && !input.mayRetry())) return undefined;
  if (!lastResort) input.health.release(modelId);
  return isCovered ? "no retries left" : "not covered";
}
