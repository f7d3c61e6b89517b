import { describeCooldown } from "@trunkline/core/adapter.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import { wait } from "@trunkline/core/clock.ts";
import { countTokens } from "@trunkline/core/count-tokens.ts";
import { Fault, type FaultDetails } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { type AnswerChecker, createAnswerChecker } from "@trunkline/core/json-schema/answer-check.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { type Attempt, ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { createRequoter } from "@trunkline/core/quote.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import { type Candidate, candidatesOf, type Route } from "@trunkline/core/route.ts";
import type { CallerGuard } from "@trunkline/guard/policy/caller-guard.ts";
import type { Guard } from "@trunkline/guard/policy/guard.ts";
import { RedactionRestorer } from "@trunkline/guard/private-data/redaction-restorer.ts";
import type { Redactions } from "@trunkline/guard/private-data/redactions.ts";
import { AnswerContext } from "@trunkline/guard/screen/answer-context.ts";
import { screenOutput } from "@trunkline/guard/screen/screen-output.ts";
import { callCandidates } from "@trunkline/providers/call/call-candidates.ts";
import { nextCascadeCandidate } from "@trunkline/router/rank/choose-route.ts";
import type { Services } from "../app/services.ts";
import type { Bill } from "../ledger/billing/bill.ts";

/** What an answer is made from, and where its cost and history go. */
interface AnswerInput {
  readonly services: Services;
  readonly caller: Caller;
  readonly route: Route;
  /** The request as providers may see it. */
  readonly inference: Inference;
  /** The private values that were taken out of it. */
  readonly redactions: Redactions;
  readonly bill: Bill;
  readonly trace: RequestTrace;
  /** Ends running provider calls. */
  readonly signal: AbortSignal;
}

/** The answer of the best candidate that gives one; in a cascade, of the first whose answer passes the check. */
export function produceAnswer(answerInput: AnswerInput): AsyncIterable<Part> {
  const { services, caller, route, inference, redactions } = answerInput;
  services.retryBudget.noteRequest(caller.accountId);
  const check = inference.cascade;
  const candidates = candidatesOf(route);
  if (check === undefined) return screenAnswer(answerInput, callProviders(answerInput, candidates, inference));
  // A step has one model: a failure goes to the next step, without retries or continuations.
  const single: Inference = { ...inference, continues: false };
  const checkAnswer = createAnswerChecker(inference, check);
  const isJson = inference.conversation.answerForm !== undefined;
  return cascade({
    ...answerInput,
    candidates,
    // The check sees what the client will read.
    check: (parts) => checkAnswer(new RedactionRestorer(redactions.byPlaceholder, isJson).restoreAll(parts)),
    maxCost: inference.preferences.maxCost,
    call: (candidate) => screenAnswer(answerInput, callProviders(answerInput, [candidate], single)),
  });
}

/** The safety check of an answer. */
export function screenAnswer(
  {
    services,
    caller,
    inference,
    redactions,
    trace,
  }: Pick<AnswerInput, "services" | "caller" | "inference" | "redactions" | "trace">,
  parts: AsyncIterable<Part>,
): AsyncIterable<Part> {
  const guard = guardForAnsweringModel(services.guardFor(caller), trace);
  return screenOutput(guard, new AnswerContext(inference, redactions), parts, (verdict) => {
    trace.outputVerdict = verdict;
  });
}

/** Applies the rules of the model that answers; after a continuation, those of the model that took over. */
function guardForAnsweringModel(guard: CallerGuard, trace: RequestTrace): Guard {
  if (!guard.hasExceptions) return guard;
  const current = () => (trace.chosen === undefined ? guard : guard.forModel(trace.chosen.model));
  return {
    restoresRedactions: guard.restoresRedactions,
    // Known only once a model answers, so values are always looked for.
    redacts: true,
    get policy() {
      return current().policy;
    },
    evaluate: (text, channel) => current().evaluate(text, channel),
    evaluateResumable: (text, channel) => current().evaluateResumable(text, channel),
    createStreamDetectors: () => guard.createStreamDetectors(),
    applyPolicy: (streamDetection) => current().applyPolicy(streamDetection),
    findValuesToRedact: (text) => current().findValuesToRedact(text),
  };
}

/** Calls the candidates, best first. The bill meters what they produce, before moderation removes anything. */
function callProviders(
  { services, caller, bill, trace, signal }: AnswerInput,
  candidates: readonly [Candidate, ...Candidate[]],
  inference: Inference,
): AsyncIterable<Part> {
  const parts = callCandidates({
    candidates,
    inference,
    requestId: trace.requestId,
    accountId: caller.accountId,
    signal,
    adapterFor: services.adapterFor,
    health: services.health,
    coverCost: async (candidate) => isWithinBound(bill, candidate, inference) && bill.raiseHoldFor(candidate),
    mayRetry: () => inference.cascade === undefined && services.retryBudget.take(caller.accountId),
    requote: createRequoter(),
    countTokens,
    random: services.random,
    wait,
    onAttempt: (attempt) => trace.attempts.push(attempt),
    onChosen: (candidate, unsupported) => {
      trace.chosen = candidate;
      if (inference.cascade === undefined) trace.segmentCount++;
      trace.unsupportedFields = unsupported;
      bill.startSegment(candidate);
    },
    onKeyCooldown: ({ provider }, cooldown) => services.warnThrottled(undefined, describeCooldown(provider, cooldown)),
  });
  return meterParts(bill, parts);
}

/** `max_cost` bounds all segments of an answer together. */
function isWithinBound(bill: Bill, { quote }: Candidate, { preferences: { maxCost } }: Inference): boolean {
  return maxCost === undefined || bill.costSoFar + quote.worst <= maxCost;
}

async function* meterParts(bill: Bill, parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  for await (const part of parts) {
    bill.meter(part);
    yield part;
  }
}

/** The most models that a cascade calls. */
const STEPS_MAX = 5;

interface CascadeInput {
  /** In the order of the cascade's steps. */
  readonly candidates: readonly [Candidate, ...Candidate[]];
  readonly check: AnswerChecker;
  /** The most that all steps may cost together. */
  readonly maxCost: NanoCredits | undefined;
  /** Calls one candidate; its answer is already screened. */
  readonly call: (candidate: Candidate) => AsyncIterable<Part>;
  readonly bill: Bill;
  readonly trace: RequestTrace;
  readonly signal: AbortSignal;
}

type StepOutcome = NonNullable<FaultDetails["attempts"]>[number];

/**
 * Calls one model after the other, the cheapest first, until an answer passes the check. Only that answer is delivered;
 * every whole answer is charged.
 */
async function* cascade(input: CascadeInput): AsyncGenerator<Part> {
  const { candidates, check, bill, trace, signal } = input;
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
    let parts: readonly Part[];
    try {
      parts = await collect(input.call(candidate));
    } catch (error) {
      if (signal.aborted || !isProviderFault(error)) throw error;
      failure = error;
      bill.dropSegment();
      outcomes.push(stepOutcome(candidate, trace.attempts.at(-1)));
      continue;
    }
    const reason = check(parts);
    if (reason === undefined) return yield* parts;
    answers++;
    bill.failCheck();
    outcomes.push(stepOutcome(candidate, markLastAttemptFailed(trace, reason)));
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

async function collect(answer: AsyncIterable<Part>): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for await (const part of answer) parts.push(part);
  return parts;
}

/** Another model may do better after these; any other error ends the request. */
function isProviderFault(error: unknown): error is Fault | ProviderFailure {
  if (error instanceof ProviderFailure) return true;
  return error instanceof Fault && (error.type === "provider_error" || error.type === "provider_timeout");
}

/** The last call answered, and its answer failed the check. */
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
