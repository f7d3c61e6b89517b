import type { ProviderFailure } from "@trunkline/core/attempt.ts";
import { Fault } from "@trunkline/core/fault.ts";

/** Why a candidate is not called: the money does not reach, its breaker is open, or there is no budget left for retries. */
export type Obstacle = "not covered" | "not admitted" | "no retries left";

/** A candidate that gave no answer: it failed, or it was never called. */
export interface Miss {
  /** `provider/name` */
  readonly model: string;
  readonly ms: number;
  readonly cause: ProviderFailure | Obstacle;
}

/** When to come back where a provider is busy and does not say for how long. */
const BUSY_RETRY_SECONDS = 5;
const LONGEST_RETRY_SECONDS = 600;

/** The refusal of a request after the last candidate, told by how each of them was missed. */
export function faultOfMisses(misses: readonly Miss[]): Fault {
  const failures = misses.flatMap(({ cause }) => (typeof cause === "string" ? [] : [cause]));
  const last = misses.findLast(({ cause }) => typeof cause !== "string");
  if (last === undefined) return faultWithoutCalls();

  const called = new Set(misses.flatMap(({ model, cause }) => (typeof cause === "string" ? [] : [model])));
  const failed =
    called.size === 1
      ? `The model ${last.model} failed: ${reasonOf(last)}.`
      : `All ${called.size} models that were called failed, ${last.model} as the last: ${reasonOf(last)}.`;
  const message = `${failed}${adviceAfter(misses, called.size)}`;
  // A candidate that was called and, before or after that, passed over is told once, by its call.
  const told = new Map(misses.map((miss) => [miss.model, miss]));
  for (const miss of misses) if (typeof miss.cause !== "string") told.set(miss.model, miss);
  const attempts = [...told.values()].map((miss) => ({
    model: miss.model,
    reason: reasonOf(miss),
    ms: miss.ms,
  }));
  const timedOut = failures.every(({ kind }) => kind === "timeout");
  const retryAfterSeconds = retryAfter(failures);
  return new Fault(
    timedOut ? "provider_timeout" : "provider_error",
    message,
    { attempts, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
    { cause: last.cause },
  );
}

function adviceAfter(misses: readonly Miss[], called: number): string {
  if (misses.some(({ cause }) => cause === "no retries left"))
    return " Nobody else was called, as this account's budget for retries is spent. Try again in a few seconds.";
  return called === 1 ? " Try again or name another model." : "";
}

/** Between the routing and the call, the money was spent elsewhere. */
function faultWithoutCalls(): Fault {
  return new Fault(
    "insufficient_balance",
    "The available credits no longer cover this request. Add credits, or lower max_tokens.",
  );
}

function reasonOf({ cause }: Miss): string {
  if (cause === "not covered") return "not called, as the available credits do not cover it";
  if (cause === "not admitted") return "not called, as it failed repeatedly just before";
  if (cause === "no retries left") return "not called, as the account's budget for retries is spent";
  return cause.reason;
}

/** Waiting is good advice only where every provider asked for it; then the first to be free again counts. */
function retryAfter(failures: readonly ProviderFailure[]): number | undefined {
  if (!failures.every(({ kind }) => kind === "rate-limited")) return undefined;
  const seconds = failures.map((failure) => failure.retryAfterSeconds ?? BUSY_RETRY_SECONDS);
  return Math.min(LONGEST_RETRY_SECONDS, Math.max(1, Math.ceil(Math.min(...seconds))));
}
