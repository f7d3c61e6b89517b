import type { Part } from "@trunkline/core/answer.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import { countTokens } from "@trunkline/core/count-tokens.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { RequestTrace } from "@trunkline/core/journal.ts";
import { createAnswerChecker } from "@trunkline/core/json-schema/answer-check.ts";
import { describeCooldown } from "@trunkline/core/key-rotation.ts";
import { createRequoter } from "@trunkline/core/requote.ts";
import type { Candidate, Route } from "@trunkline/core/route.ts";
import { wait } from "@trunkline/core/wait.ts";
import type { CallerGuard } from "@trunkline/guard/policy/caller-guard.ts";
import type { Guard } from "@trunkline/guard/policy/guard.ts";
import { RedactionRestorer } from "@trunkline/guard/private-data/redaction-restorer.ts";
import type { Redactions } from "@trunkline/guard/private-data/vault.ts";
import { AnswerContext } from "@trunkline/guard/screen/answer-context.ts";
import { screenOutput } from "@trunkline/guard/screen/screen-output.ts";
import { callCandidates } from "@trunkline/providers/call/call-candidates.ts";
import type { Services } from "../app/services.ts";
import type { Bill } from "../ledger/billing/bill.ts";
import { cascade } from "./cascade.ts";

/** What an answer is made of, and who has to hear of it. */
export interface AnswerInput {
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
  if (check === undefined)
    return screenAnswer(answerInput, callProviders(answerInput, route.candidates, inference));
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
    onKeyCooldown: ({ provider }, rest) =>
      services.warnThrottled(undefined, describeCooldown(provider, rest)),
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
