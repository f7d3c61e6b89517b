import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import { Fault, type FaultDetails } from "@trunkline/core/fault.ts";
import type { AnswerChecker } from "@trunkline/core/json-schema/answer-check.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { type Attempt, ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { nextCascadeCandidate } from "@trunkline/router/rank/choose-route.ts";
import type { Bill } from "../ledger/billing/bill.ts";
import type { AnswerProgress, DeliverParts } from "./answer-progress.ts";

/** The most models that a cascade calls. */
const STEPS_MAX = 5;

interface CascadeInput {
  /** In the order of the cascade's steps. */
  readonly candidates: readonly [Candidate, ...Candidate[]];
  readonly check: AnswerChecker;
  /** The most that all steps may cost together. */
  readonly maxCost: NanoCredits | undefined;
  /** Calls one candidate; its answer is already screened. */
  readonly call: (candidate: Candidate, collect: DeliverParts) => Promise<void>;
  readonly deliver: DeliverParts;
  readonly bill: Bill;
  readonly progress: AnswerProgress;
  readonly signal: CancelSignal;
}

type StepOutcome = NonNullable<FaultDetails["attempts"]>[number];

/**
 * Calls one model after the other, the cheapest first, until an answer passes the check. Only that answer is delivered;
 * every whole answer is charged.
 */
export async function runCascade(input: CascadeInput): Promise<void> {
  const { candidates, check, deliver, bill, progress, signal } = input;
  const outcomes: StepOutcome[] = [];
  let answers = 0;
  let failure: Fault | ProviderFailure | undefined;
  let steps = 0;
  let candidate: Candidate | undefined = candidates[0];
  for (; candidate !== undefined && steps < STEPS_MAX; candidate = nextCascadeCandidate(candidates, candidate)) {
    signal.throwIfAborted();
    const skipReason = await whySkip(input, candidate);
    if (skipReason !== undefined) {
      outcomes.push({ model: fullNameOf(candidate.model), reason: skipReason, ms: 0 });
      continue;
    }
    steps++;
    const parts: Part[] = [];
    try {
      await input.call(candidate, (safe) => void parts.push(...safe));
    } catch (error) {
      if (signal.aborted || !isProviderFault(error)) throw error;
      failure = error;
      bill.dropSegment();
      outcomes.push(stepOutcome(candidate, progress.attempts.at(-1)));
      continue;
    }
    const reason = check(parts);
    if (reason === undefined) return deliver(parts);
    answers++;
    bill.failCheck();
    outcomes.push(stepOutcome(candidate, progress.failLastAttempt(reason)));
  }
  if (answers === 0) throw faultWithoutAnswer(failure, outcomes);
  throw new Fault(
    "check_failed",
    `No answer passed the check: ${answers === 1 ? "one model answered" : `${answers} models answered`}, and \`attempts\` says why each failed. ` +
      "Loosen the check, raise `max_cost`, or name a better model.",
    { attempts: outcomes },
  );
}

/** Why a step is skipped: `max_cost` or the available credits do not cover its worst case. */
async function whySkip({ bill, maxCost }: CascadeInput, candidate: Candidate): Promise<string | undefined> {
  if (maxCost !== undefined && bill.costSoFar + candidate.quote.worst > maxCost)
    return "not called, as its worst case is above what is left of `max_cost`";
  return (await bill.raiseHoldFor(candidate)) ? undefined : "not called, as the available credits do not cover it";
}

/** Another model may do better after these; any other error ends the request. */
function isProviderFault(error: unknown): error is Fault | ProviderFailure {
  if (error instanceof ProviderFailure) return true;
  return error instanceof Fault && (error.type === "provider_error" || error.type === "provider_timeout");
}

function stepOutcome({ model }: Candidate, attempt: Attempt | undefined): StepOutcome {
  return { model: fullNameOf(model), reason: attempt?.reason ?? "it gave no answer", ms: attempt?.ms ?? 0 };
}

/** No model gave an answer to check: the same fault as for any request without an answer. */
function faultWithoutAnswer(failure: Fault | ProviderFailure | undefined, outcomes: readonly StepOutcome[]): Fault {
  if (failure === undefined)
    return new Fault(
      "insufficient_balance",
      "The available credits no longer cover this request. Add credits, or lower max_tokens.",
    );
  const isTimeout = failure instanceof Fault ? failure.type === "provider_timeout" : failure.kind === "timeout";
  return new Fault(
    isTimeout ? "provider_timeout" : "provider_error",
    `None of the models that were called gave a whole answer, ${outcomes.at(-1)?.model} as the last: ${outcomes.at(-1)?.reason}.`,
    { attempts: outcomes },
    { cause: failure },
  );
}
