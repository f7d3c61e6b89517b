import { Fault, type FaultType } from "@trunkline/core/fault.ts";
import { type Attempt, ProviderFailure } from "@trunkline/core/provider-failure.ts";

/** Why a candidate is not called: the credits do not cover it, its breaker is open, or the retry budget is spent. */
export type SkipReason = "not covered" | "not admitted" | "no retries left";

/** A candidate that gave no answer: it failed, or it was never called. */
export interface FailedCandidate {
  /** `provider/name` */
  readonly model: string;
  readonly ms: number;
  readonly cause: ProviderFailure | SkipReason;
}

/** The retry time where a provider is busy and does not say for how long. */
const DEFAULT_RETRY_SECONDS = 5;
const RETRY_SECONDS_MAX = 600;

/** The error of a request for which no candidate gave an answer, with what became of each. */
export function allFailedFault(failedCandidates: readonly FailedCandidate[]): Fault {
  const failures = failedCandidates.flatMap(({ cause }) => (typeof cause === "string" ? [] : [cause]));
  const last = failedCandidates.findLast(({ cause }) => typeof cause !== "string");
  if (last === undefined) return insufficientBalanceFault();

  const called = new Set(failedCandidates.flatMap(({ model, cause }) => (typeof cause === "string" ? [] : [model])));
  const failed =
    called.size === 1
      ? `The model ${last.model} failed: ${failureReason(last)}.`
      : `All ${called.size} models that were called failed, ${last.model} as the last: ${failureReason(last)}.`;
  const message = `${failed}${adviceFor(failedCandidates, called.size)}`;
  // A candidate that was both called and skipped is listed once, by its call.
  const byModel = new Map(failedCandidates.map((failedCandidate) => [failedCandidate.model, failedCandidate]));
  for (const failedCandidate of failedCandidates)
    if (typeof failedCandidate.cause !== "string") byModel.set(failedCandidate.model, failedCandidate);
  const attempts = [...byModel.values()].map((failedCandidate) => ({
    model: failedCandidate.model,
    reason: failureReason(failedCandidate),
    ms: failedCandidate.ms,
  }));
  const timedOut = failures.every(({ kind }) => kind === "timeout");
  const retryAfterSeconds = retryAfter(failures);
  const providersSaid = commonVerdict(failures);
  return new Fault(
    timedOut ? "provider_timeout" : "provider_error",
    message,
    {
      attempts,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(providersSaid !== undefined && { providersSaid }),
    },
    { cause: last.cause },
  );
}

/**
 * What all providers said alike. A client that is told to wait, or that its request is wrong, must not send it again at
 * once; undefined: the providers failed.
 */
function commonVerdict(failures: readonly ProviderFailure[]): FaultType | undefined {
  if (failures.every(({ isTooLong }) => isTooLong)) return "context_length_exceeded";
  const [kind, ...others] = new Set(failures.map((failure) => failure.kind));
  return kind === undefined || others.length > 0 ? undefined : VERDICT_OF_KIND[kind];
}

const VERDICT_OF_KIND: Partial<Record<ProviderFailure["kind"], FaultType>> = {
  rejected: "request_rejected",
  "rate-limited": "rate_limited",
  overloaded: "overloaded",
};

function adviceFor(failedCandidates: readonly FailedCandidate[], called: number): string {
  if (failedCandidates.every(({ cause }) => typeof cause !== "string" && cause.kind === "rejected")) return "";
  if (failedCandidates.some(({ cause }) => cause === "no retries left"))
    return " Nobody else was called, as this account's budget for retries is spent. Try again in a few seconds.";
  return called === 1 ? " Try again or name another model." : "";
}

/** The credits covered the request when it was routed and were spent elsewhere before the call. */
function insufficientBalanceFault(): Fault {
  return new Fault(
    "insufficient_balance",
    "The available credits no longer cover this request. Add credits, or lower max_tokens.",
  );
}

function failureReason({ cause }: FailedCandidate): string {
  if (cause === "not covered") return "not called, as the available credits do not cover it";
  if (cause === "not admitted") return "not called, as it failed repeatedly just before";
  if (cause === "no retries left") return "not called, as the account's budget for retries is spent";
  return cause.reason;
}

/** Waiting is good advice only if every provider asked for it; then the shortest of their times counts. */
function retryAfter(failures: readonly ProviderFailure[]): number | undefined {
  if (!failures.every(({ kind }) => kind === "rate-limited" || kind === "overloaded")) return undefined;
  const seconds = failures.map((failure) => failure.retryAfterSeconds ?? DEFAULT_RETRY_SECONDS);
  return Math.min(RETRY_SECONDS_MAX, Math.max(1, Math.ceil(Math.min(...seconds))));
}

/** The error of an answer that broke off after it had begun; undefined if no provider is to blame. */
export function providerStreamFault(error: unknown, attempts: readonly Attempt[]): Fault | undefined {
  if (!(error instanceof ProviderFailure)) return undefined;
  const tried = attempts.map(({ model, reason, ms }) => ({ model, reason, ms }));
  return new Fault(
    error.kind === "timeout" ? "provider_timeout" : "provider_error",
    `The answer broke off: ${error.reason}. What was delivered is charged; send the request again for a whole answer.`,
    { attempts: tried },
    { cause: error },
  );
}

/** The error that the client sees for an answer that ended early. */
export function streamFault(error: unknown, attempts: readonly Attempt[]): Fault {
  if (error instanceof Fault) return error;
  return (
    providerStreamFault(error, attempts) ??
    new Fault(
      "internal",
      "Something went wrong on our side. It is logged under this request's id.",
      {},
      { cause: error },
    )
  );
}
