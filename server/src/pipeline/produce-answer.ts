import {
  describeCooldown,
  type KeyCooldown,
  type PartSource,
  type PartsResult,
  partSourceOf,
} from "@trunkline/core/adapter.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import { wait } from "@trunkline/core/clock.ts";
import { countTokens } from "@trunkline/core/count-tokens.ts";
import { Arrival, inStep, runStages, type Stages } from "@trunkline/core/in-step.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { createAnswerChecker } from "@trunkline/core/json-schema/answer-check.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { Attempt } from "@trunkline/core/provider-failure.ts";
import { createRequoter } from "@trunkline/core/quote.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Candidate, Route } from "@trunkline/core/route.ts";
import type { CallSpan } from "@trunkline/core/trace-context.ts";
import type { CallerGuard } from "@trunkline/guard/policy/caller-guard.ts";
import type { Guard } from "@trunkline/guard/policy/guard.ts";
import { RedactionRestorer } from "@trunkline/guard/private-data/redaction-restorer.ts";
import type { Redactions } from "@trunkline/guard/private-data/redactions.ts";
import { AnswerContext } from "@trunkline/guard/screen/answer-context.ts";
import { screenProviderWords } from "@trunkline/guard/screen/provider-words.ts";
import { AnswerScreen, type ScreenedParts, screenPart } from "@trunkline/guard/screen/screen-output.ts";
import { callCandidates } from "@trunkline/providers/call/call-candidates.ts";
import type { CallCandidatesInput } from "@trunkline/providers/call/call-input.ts";
import type { Services } from "../app/services.ts";
import type { Bill } from "../ledger/billing/bill.ts";
import type { AnswerProgress, DeliverParts } from "./answer-progress.ts";
import { runCascade } from "./cascade.ts";
import { finish, WholeDelivery } from "./deliver-whole.ts";

/** What an answer is made from, and where its parts, cost and history go. */
export interface AnswerInput {
  readonly services: Services;
  readonly caller: Caller;
  readonly route: Route;
  /** The request as providers may see it. */
  readonly inference: Inference;
  /** The private values that were taken out of it. */
  readonly redactions: Redactions;
  readonly bill: Bill;
  readonly progress: AnswerProgress;
  readonly trace: RequestTrace;
  readonly deliver: DeliverParts;
  /** Whether parts are delivered as they come. Otherwise the answer is delivered at its end. */
  readonly isStreamed: boolean;
  /** Ends running provider calls. */
  readonly signal: CancelSignal;
}

/** Delivers the answer of the best candidate that gives one; in a cascade, of the first whose answer passes the check. */
export function produceAnswer(answerInput: AnswerInput): WholeDelivery | Promise<void> {
  const { services, caller, route, inference, redactions, deliver } = answerInput;
  services.providers.retryBudget.noteRequest(caller.accountId);
  const check = inference.cascade;
  const candidates = route.candidates;
  if (check === undefined) return screenAnswer(answerInput, callProviders(answerInput, candidates, inference), deliver);
  // A step has one model: a failure goes to the next step, without retries or continuations.
  const single: Inference = { ...inference, continues: false };
  const checkAnswer = createAnswerChecker(inference, check);
  const isJson = inference.conversation.answerForm !== undefined;
  return runCascade({
    ...answerInput,
    candidates,
    // The check sees what the client will read.
    check: (parts) => checkAnswer(new RedactionRestorer(redactions.byPlaceholder, isJson).restoreAll(parts)),
    maxCost: inference.preferences.maxCost,
    call: (candidate, collect) =>
      finish(screenAnswer(answerInput, callProviders(answerInput, [candidate], single), collect)),
  });
}

/**
 * The safety check of an answer: delivers the same parts, held back just long enough to examine them, until something is
 * refused or the source fails. What came before is delivered all the same. The bill meters each part before the check.
 */
export function screenAnswer(
  input: Omit<AnswerInput, "route" | "deliver" | "signal">,
  groups: AsyncIterable<readonly Part[]>,
  deliver: DeliverParts,
): WholeDelivery | Promise<void> {
  const { services, caller, inference, redactions, bill, progress, isStreamed } = input;
  const guard = guardForAnsweringModel(services.guardFor(caller, inference.preferences.dataRules), progress);
  // A whole answer gains nothing by words that leave early.
  const requestVerdict = isStreamed ? input.trace.inputVerdict : undefined;
  const screen = new AnswerScreen(guard, new AnswerContext(inference, redactions, requestVerdict));
  const source = partSourceOf(groups);
  return isStreamed
    ? runStages(screenStream(source, screen, bill, progress, deliver))
    : new WholeDelivery(source, screen, bill, progress, deliver);
}

/**
 * For an answer that is delivered as it comes. What streams get in the same turn of the event loop is read of all of them,
 * then screened, then sent.
 */
function* screenStream(
  source: PartSource,
  screen: AnswerScreen,
  bill: Bill,
  progress: AnswerProgress,
  deliver: DeliverParts,
): Stages<void> {
  let isOver = false;
  let failure: { readonly error: unknown } | undefined;
  try {
    while (!isOver && failure === undefined) {
      let next = END_OF_ANSWER;
      try {
        let taken = source.take();
        while (taken instanceof Arrival) {
          yield taken;
          taken = source.take();
        }
        next = taken;
      } catch (error) {
        failure = { error };
      }
      isOver = next.done === true;
      yield inStep;
      const safe: Part[] = [];
      let refusal: { readonly error: unknown } | undefined;
      for (const part of next.value ?? NO_PARTS) {
        bill.meter(part);
        const screening = screenPart(screen, part);
        // Only a long part is screened in pieces.
        const screened = screening instanceof Promise ? ((yield screening) as ScreenedParts) : screening;
        for (const each of screened.safe) safe.push(each);
        refusal = screened.refusal;
        if (refusal !== undefined) break;
      }
      if (isOver && refusal === undefined) {
        const rest = screen.end();
        for (const each of rest.safe) safe.push(each);
        refusal = rest.refusal;
      }
      failure = refusal ?? failure;
      if (safe.length === 0) continue;
      yield inStep;
      const sending = deliver(safe);
      if (sending !== undefined) yield sending;
    }
  } finally {
    progress.judge(screen.verdict);
    // An error while the source is closed must not hide the reason for closing it.
    if (!isOver)
      yield source.return().catch((error: unknown) => {
        failure ??= { error };
      });
  }
  if (failure !== undefined) throw failure.error;
}

const NO_PARTS: readonly Part[] = [];
const END_OF_ANSWER: PartsResult = { done: true, value: undefined };

/** Applies the rules of the model that answers; after a continuation, those of the model that took over. */
function guardForAnsweringModel(guard: CallerGuard, progress: AnswerProgress): Guard {
  if (!guard.hasExceptions) return guard;
  const current = () => (progress.chosen === undefined ? guard : guard.forModel(progress.chosen.model));
  return {
    restoresRedactions: guard.restoresRedactions,
    // Known only once a model answers, so values are always looked for.
    redacts: true,
    get policy() {
      return current().policy;
    },
    evaluate: (text, channel) => current().evaluate(text, channel),
    evaluatePlainAnswer: (text) => current().evaluatePlainAnswer?.(text),
    createStreamDetectors: () => guard.createStreamDetectors(),
    applyPolicy: (streamDetection) => current().applyPolicy(streamDetection),
    findValuesToRedact: (text) => current().findValuesToRedact(text),
  };
}

/** Calls the candidates, best first. */
function callProviders(
  answerInput: AnswerInput,
  candidates: readonly [Candidate, ...Candidate[]],
  inference: Inference,
): AsyncIterable<readonly Part[]> {
  return callCandidates(new ProviderCalls(answerInput, candidates, inference));
}

/** What the calls of one answer need, and what they report. */
class ProviderCalls implements CallCandidatesInput {
  readonly candidates: readonly Candidate[];
  readonly inference: Inference;
  readonly #input: AnswerInput;
  /** Made for the first answer that breaks off: most do not. */
  #requote: CallCandidatesInput["requote"] | undefined;

  constructor(answerInput: AnswerInput, candidates: readonly Candidate[], inference: Inference) {
    this.#input = answerInput;
    this.candidates = candidates;
    this.inference = inference;
  }

  get requestId(): string {
    return this.#input.trace.requestId;
  }

  get accountId(): string {
    return this.#input.caller.accountId;
  }

  get signal(): CancelSignal {
    return this.#input.signal;
  }

  get adapterFor(): CallCandidatesInput["adapterFor"] {
    return this.#input.services.providers.adapterFor;
  }

  get health(): CallCandidatesInput["health"] {
    return this.#input.services.providers.health;
  }

  get random(): CallCandidatesInput["random"] {
    return this.#input.services.routing.random;
  }

  countTokens(text: string): number {
    return countTokens(text);
  }

  wait(ms: number, signal: CancelSignal): Promise<void> {
    return wait(ms, signal);
  }

  coverCost(candidate: Candidate): boolean | Promise<boolean> {
    const { bill } = this.#input;
    return isWithinBound(bill, candidate, this.inference) && bill.raiseHoldFor(candidate);
  }

  mayRetry(): boolean {
    return this.inference.cascade === undefined && this.#input.services.providers.retryBudget.take(this.accountId);
  }

  requote(candidate: Candidate, inference: Inference): Candidate | undefined {
    this.#requote ??= createRequoter();
    return this.#requote(candidate, inference);
  }

  screenWords(words: string): string | undefined {
    const { services, caller } = this.#input;
    return screenProviderWords(services.guardFor(caller), words);
  }

  startSpan(): CallSpan | undefined {
    return this.#input.trace.startCall();
  }

  onAttempt(attempt: Attempt): void {
    this.#input.progress.addAttempt(attempt);
  }

  onChosen(candidate: Candidate, unsupported: readonly string[]): void {
    const { progress, trace, bill } = this.#input;
    progress.choose(candidate);
    if (this.inference.cascade === undefined) trace.segmentCount++;
    trace.unsupportedFields = unsupported;
    bill.startSegment(candidate, this.inference.parameters);
  }

  onKeyCooldown({ provider }: Model, cooldown: KeyCooldown): void {
    this.#input.services.warnThrottled(undefined, describeCooldown(provider, cooldown));
  }
}

/** `max_cost` bounds all segments of an answer together. */
function isWithinBound(bill: Bill, { quote }: Candidate, { preferences: { maxCost } }: Inference): boolean {
  return maxCost === undefined || bill.costSoFar + quote.worst <= maxCost;
}
