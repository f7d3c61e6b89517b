import type { Part } from "@trunkline/core/answer.ts";
import { type Attempt, ProviderFailure } from "@trunkline/core/attempt.ts";
import { Fault, type FaultDetails } from "@trunkline/core/fault.ts";
import type { RequestTrace } from "@trunkline/core/journal.ts";
import type { AnswerChecker } from "@trunkline/core/json-schema/answer-check.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { nextCascadeCandidate } from "@trunkline/router/rank/step-order.ts";
import type { Bill } from "../ledger/billing/bill.ts";

/** How many models are asked at most. Who has not answered well by then is not helped by another. */
const STEPS_MAX = 5;

export interface CascadeInput {
  /** In the order of the steps. */
  readonly candidates: readonly [Candidate, ...Candidate[]];
  readonly judge: AnswerChecker;
  /** The most that all steps may cost together. */
  readonly maxCost: NanoCredits | undefined;
  /** Asks one candidate; what it makes was moderated. */
  readonly ask: (candidate: Candidate) => AsyncIterable<Part>;
  readonly bill: Bill;
  readonly trace: RequestTrace;
  readonly signal: AbortSignal;
}

type StepOutcome = NonNullable<FaultDetails["attempts"]>[number];

/**
 * One model after the other, from the cheapest on, until an answer passes the check; that one is given out, and nothing of
 * those before it. Whoever gave a whole answer is paid for it.
 */
export async function* cascade(input: CascadeInput): AsyncGenerator<Part> {
  const { candidates, judge, bill, trace, signal } = input;
  const told: StepOutcome[] = [];
  let answers = 0;
  let failure: Fault | ProviderFailure | undefined;
  let steps = 0;
  let candidate: Candidate | undefined = candidates[0];
  for (
    ;
    candidate !== undefined && steps < STEPS_MAX;
    candidate = nextCascadeCandidate(candidates, candidate)
  ) {
    signal.throwIfAborted();
    const obstacle = await whySkip(input, candidate);
    if (obstacle !== undefined) {
      told.push({ model: fullNameOf(candidate.model), reason: obstacle, ms: 0 });
      continue;
    }
    steps++;
    let parts: readonly Part[];
    try {
      parts = await collect(input.ask(candidate));
    } catch (error) {
      if (signal.aborted || !isProviderFault(error)) throw error;
      failure = error;
      bill.dropSegment();
      told.push(stepOutcome(candidate, trace.attempts.at(-1)));
      continue;
    }
    const reason = judge(parts);
    if (reason === undefined) return yield* parts;
    answers++;
    bill.failCheck();
    told.push(stepOutcome(candidate, markLastAttemptFailed(trace, reason)));
  }
  if (answers === 0) throw faultWithoutAnswer(failure, told);
  throw new Fault(
    "check_failed",
    `No answer passed the check: ${answers === 1 ? "one model answered" : `${answers} models answered`}, and \`attempts\` says why each failed. ` +
      "Loosen the check, raise `max_cost`, or name a better model.",
    { attempts: told },
  );
}

/** Why a step is not begun: what all of them may cost together, or what there is to spend, does not reach for its worst case. */
async function whySkip({ bill, maxCost }: CascadeInput, candidate: Candidate): Promise<string | undefined> {
  if (maxCost !== undefined && bill.costSoFar + candidate.quote.worst > maxCost)
    return "not called, as its worst case is above what is left of `max_cost`";
  return (await bill.raiseHoldFor(candidate))
    ? undefined
    : "not called, as the available credits do not cover it";
}

async function collect(made: AsyncIterable<Part>): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for await (const part of made) parts.push(part);
  return parts;
}

/** What another model may do better: anything else ends the request. */
function isProviderFault(error: unknown): error is Fault | ProviderFailure {
  if (error instanceof ProviderFailure) return true;
  return error instanceof Fault && (error.type === "provider_error" || error.type === "provider_timeout");
}

/** The call that was just made answered, and its answer is not good enough. */
function markLastAttemptFailed({ attempts }: RequestTrace, reason: string): Attempt | undefined {
  const last = attempts.at(-1);
  if (last === undefined) return undefined;
  const failed: Attempt = { ...last, outcome: "failed-check", reason };
  attempts[attempts.length - 1] = failed;
  return failed;
}

function stepOutcome({ model }: Candidate, attempt: Attempt | undefined): StepOutcome {
  return { model: fullNameOf(model), reason: attempt?.reason ?? "it gave no answer", ms: attempt?.ms ?? 0 };
}

/** Nobody gave an answer that could have been checked: told as by any request that nobody answers. */
function faultWithoutAnswer(
  failure: Fault | ProviderFailure | undefined,
  told: readonly StepOutcome[],
): Fault {
  if (failure === undefined)
    return new Fault(
      "insufficient_balance",
      "The available credits no longer cover this request. Add credits, or lower max_tokens.",
    );
  const isTimeout =
    failure instanceof Fault ? failure.type === "provider_timeout" : failure.kind === "timeout";
  return new Fault(
    isTimeout ? "provider_timeout" : "provider_error",
    `None of the models that were called gave a whole answer, ${told.at(-1)?.model} as the last: ${told.at(-1)?.reason}.`,
    { attempts: told },
    { cause: failure },
  );
}
