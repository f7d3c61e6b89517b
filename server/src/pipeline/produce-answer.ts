import type { Caller } from "@trunkline/core/caller.ts";
import { wait } from "@trunkline/core/clock.ts";
import { countTokens } from "@trunkline/core/count-tokens.ts";
import { Fault, type FaultDetails } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { type AnswerChecker, createAnswerChecker } from "@trunkline/core/json-schema/answer-check.ts";
import { describeCooldown } from "@trunkline/core/key-rotation.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { type Attempt, ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { createRequoter } from "@trunkline/core/quote.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Candidate, Route } from "@trunkline/core/route.ts";
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

/** What an answer is made of, and who has to hear of it. */
interface AnswerInput {
  readonly services: Services;
  readonly caller: Caller;
  readonly route: Route;
  /** As a provider may see it. */
  readonly inference: Inference;
  /** What was taken out of it. */
  readonly redactions: Redactions;
  readonly bill: Bill;
  readonly trace: RequestTrace;
  /** Ends the calls that run. */
  readonly signal: AbortSignal;
}

/** The answer of the best candidate that gives one; in a cascade, of the first whose answer passes the check. */
export function produceAnswer(answerInput: AnswerInput): AsyncIterable<Part> {
  const { services, caller, route, inference, redactions } = answerInput;
  services.retryBudget.noteRequest(caller.accountId);
  const check = inference.cascade;
  if (check === undefined) return screenAnswer(answerInput, callProviders(answerInput, route.candidates, inference));
  // A step has but one model, and what fails goes to the next: nobody is asked again, and nobody goes on for another.
  const alone: Inference = { ...inference, continues: false };
  const judge = createAnswerChecker(inference, check);
  const isJson = inference.conversation.answerForm !== undefined;
  return cascade({
    ...answerInput,
    candidates: route.candidates,
    // The check is of what the client reads.
    judge: (parts) => judge(new RedactionRestorer(redactions.byPlaceholder, isJson).restoreAll(parts)),
    maxCost: inference.preferences.maxCost,
    ask: (candidate) => screenAnswer(answerInput, callProviders(answerInput, [candidate], alone)),
  });
}

/** The safety check on the way back. */
export function screenAnswer(
  {
    services,
    caller,
    inference,
    redactions,
    trace,
  }: Pick<AnswerInput, "services" | "caller" | "inference" | "redactions" | "trace">,
  made: AsyncIterable<Part>,
): AsyncIterable<Part> {
  const guard = guardForAnsweringModel(services.guardFor(caller), trace);
  return screenOutput(guard, new AnswerContext(inference, redactions), made, (verdict) => {
    trace.outputVerdict = verdict;
  });
}

/** By the rules of whichever model speaks: where one goes on for another, by its own from there on. */
function guardForAnsweringModel(guard: CallerGuard, trace: RequestTrace): Guard {
  if (!guard.hasExceptions) return guard;
  const speaking = () => (trace.chosen === undefined ? guard : guard.forModel(trace.chosen.model));
  return {
    restoresRedactions: guard.restoresRedactions,
    // Whether any value is taken out is seen once somebody speaks.
    redacts: true,
    get policy() {
      return speaking().policy;
    },
    evaluate: (text, channel) => speaking().evaluate(text, channel),
    evaluateResumable: (text, channel) => speaking().evaluateResumable(text, channel),
    createStreamDetectors: () => guard.createStreamDetectors(),
    applyPolicy: (streamDetection) => speaking().applyPolicy(streamDetection),
    findValuesToRedact: (text) => speaking().findValuesToRedact(text),
  };
}

/** The call: candidates, best first. The bill hears what they make. */
function callProviders(
  { services, caller, bill, trace, signal }: AnswerInput,
  candidates: Route["candidates"],
  inference: Inference,
): AsyncIterable<Part> {
  const made = callCandidates({
    candidates,
    inference,
    requestId: trace.requestId,
    accountId: caller.accountId,
    signal,
    adapterFor: services.adapterFor,
    health: services.health,
    clock: services.clock,
    coverCost: async (candidate) => isWithinBound(bill, candidate, inference) && bill.raiseHoldFor(candidate),
    mayRetry: () => inference.cascade === undefined && services.retryBudget.take(caller.accountId),
    requote: createRequoter(),
    countTokens,
    random: services.random,
    wait,
    onAttempt: (attempt) => trace.attempts.push(attempt),
    onChosen: (candidate, dropped) => {
      trace.chosen = candidate;
      if (inference.cascade === undefined) trace.segmentCount++;
      trace.unsupportedFields = dropped;
      bill.startSegment(candidate);
    },
    onKeyCooldown: ({ provider }, rest) => services.warnThrottled(undefined, describeCooldown(provider, rest)),
  });
  return meterParts(bill, made);
}

/** What the client pays at most is for all that make the answer together. The first was chosen by it; others go on beside it. */
function isWithinBound(bill: Bill, { quote }: Candidate, { preferences: { maxCost } }: Inference): boolean {
  return maxCost === undefined || bill.costSoFar + quote.worst <= maxCost;
}

/** The bill hears what the provider made, before moderation takes anything away. */
async function* meterParts(bill: Bill, parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  for await (const part of parts) {
    bill.meter(part);
    yield part;
  }
}

/** How many models are asked at most. Who has not answered well by then is not helped by another. */
const STEPS_MAX = 5;

interface CascadeInput {
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
async function* cascade(input: CascadeInput): AsyncGenerator<Part> {
  const { candidates, judge, bill, trace, signal } = input;
  const told: StepOutcome[] = [];
  let answers = 0;
  let failure: Fault | ProviderFailure | undefined;
  let steps = 0;
  let candidate: Candidate | undefined = candidates[0];
  for (; candidate !== undefined && steps < STEPS_MAX; candidate = nextCascadeCandidate(candidates, candidate)) {
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
  return (await bill.raiseHoldFor(candidate)) ? undefined : "not called, as the available credits do not cover it";
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
function faultWithoutAnswer(failure: Fault | ProviderFailure | undefined, told: readonly StepOutcome[]): Fault {
  if (failure === undefined)
    return new Fault(
      "insufficient_balance",
      "The available credits no longer cover this request. Add credits, or lower max_tokens.",
    );
  const isTimeout = failure instanceof Fault ? failure.type === "provider_timeout" : failure.kind === "timeout";
  return new Fault(
    isTimeout ? "provider_timeout" : "provider_error",
    `None of the models that were called gave a whole answer, ${told.at(-1)?.model} as the last: ${told.at(-1)?.reason}.`,
    { attempts: told },
    { cause: failure },
  );
}
