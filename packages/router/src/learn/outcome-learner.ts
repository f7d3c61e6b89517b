import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Candidate, Route } from "@trunkline/core/route.ts";
import { AnswerObserver } from "./answer-observer.ts";
import { BaselineRates, conversationFingerprint, RecentAnswers } from "./implicit-feedback.ts";
import type { OutcomeRecord, OutcomeSource } from "./learning-store.ts";
import { LengthQuota, type LengthStats } from "./length-stats.ts";
import type { OutcomeStats } from "./outcome-stats.ts";
import { type AnswerSample, recordOutcome, retractOutcome, toOutcomeRecord } from "./outcomes.ts";

const CHECK_WEIGHT = 1;
const FLAW_WEIGHT = 1;
const REPEAT_WEIGHT = 0.5;
/** What an answer was worth to somebody who asked for another one. */
const REPEATED_OUTCOME = 0.25;
/** Who asks the same more often than this is a machine that always does: it complains of nothing. */
const MAX_REPEATS = 3;
/** While the process is busy no more than this many answers wait to be learnt from; the rest teach nothing. */
const MAX_WAITING_ANSWERS = 5_000;

export interface OutcomeLearnerOptions {
  readonly evidence: OutcomeStats;
  readonly lengths: LengthStats;
  readonly clock: Clock;
  isFrozen(caller: Pick<Caller, "learning">): boolean;
  /** Told of every outcome that was counted. */
  onOutcome(outcome: OutcomeRecord): void;
  onError(error: unknown): void;
}

/** How a request was answered, as far as something can be learnt from it. */
export interface ObservedAnswer {
  readonly observer: AnswerObserver;
  readonly outputTokens: number;
  /** It came under an idempotency key: whoever sends it again wants the same answer, not another. */
  readonly hasIdempotencyKey: boolean;
}

interface PendingAnswer extends ObservedAnswer {
  readonly caller: Caller;
  readonly requestTrace: RequestTrace;
  readonly inference: Inference;
  readonly route: Route;
  readonly chosen: Candidate;
  readonly answeredAt: number;
}

interface CreditedAnswer {
  readonly answerSample: AnswerSample;
  readonly weight: number;
  /** How often the same was asked before, one time soon after the other. */
  readonly repeats: number;
}

/** Learns from answers what nobody has to say: that there was none, that it had the wrong form, that another was asked for. */
export class OutcomeLearner {
  readonly #options: OutcomeLearnerOptions;
  readonly #rates = new BaselineRates();
  readonly #recent = new RecentAnswers<CreditedAnswer>();
  readonly #lengthQuota = new LengthQuota();
  #waiting: PendingAnswer[] = [];

  constructor(parts: OutcomeLearnerOptions) {
    this.#options = parts;
  }

  observerFor(inference: Inference): AnswerObserver {
    return new AnswerObserver(inference);
  }

  /** Takes note of an answer that was settled. It is looked at once the client has it. Never throws. */
  record(requestTrace: RequestTrace, observedAnswer: ObservedAnswer): void {
    const { caller, inference, route, chosen } = requestTrace;
    if (caller === undefined || inference === undefined || route === undefined || chosen === undefined) return;
    // What was given before teaches nothing new.
    if (requestTrace.cache?.result === "hit" || this.#options.isFrozen(caller)) return;
    if (this.#waiting.length >= MAX_WAITING_ANSWERS) return;
    if (this.#waiting.length === 0) setImmediate(() => this.drain());
    const answeredAt = this.#options.clock.now();
    this.#waiting.push({ ...observedAnswer, caller, requestTrace, inference, route, chosen, answeredAt });
  }

  /** Looks at all that waits. */
  drain(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const pendingAnswer of waiting) {
      try {
        this.#learnFrom(pendingAnswer);
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }

  #learnFrom(pendingAnswer: PendingAnswer): void {
    const { inference, chosen } = pendingAnswer;
    const answerSample = this.#sampleOf(pendingAnswer, chosen);
    this.#recordLength(pendingAnswer, answerSample);
    this.#recordChecks(pendingAnswer);
    this.#recordVerdict(pendingAnswer, answerSample);
    if (!pendingAnswer.hasIdempotencyKey && isWorthRepeating(inference))
      this.#recordRepeat(pendingAnswer, answerSample);
  }

  #sampleOf(
    { caller: { accountId }, requestTrace, route }: PendingAnswer,
    { model, quality, unlearnt }: Candidate,
  ): AnswerSample {
    return {
      accountId,
      requestId: requestTrace.requestId,
      model: fullNameOf(model),
      promptFeatures: route.promptFeatures,
      prior: unlearnt ?? quality,
      predictedQuality: quality,
      propensity: route.propensity ?? 1,
      lends: model.accountId !== accountId,
    };
  }

  /** Of a cascade, the models whose answers were thrown away, and the one whose answer passed. The last is not checked. */
  #recordChecks(pendingAnswer: PendingAnswer): void {
    const { inference, route, chosen, requestTrace, answeredAt } = pendingAnswer;
    if (inference.cascade === undefined) return;
    for (const { model, outcome } of requestTrace.attempts) {
      const failed = route.candidates.find((candidate) => fullNameOf(candidate.model) === model);
      if (outcome !== "failed-check" || failed === undefined) continue;
      this.#recordOutcome(this.#sampleOf(pendingAnswer, failed), "check", 0, CHECK_WEIGHT, answeredAt);
    }
    if (chosen !== route.candidates.at(-1))
      this.#recordOutcome(this.#sampleOf(pendingAnswer, chosen), "check", 1, CHECK_WEIGHT, answeredAt);
  }

  /**
   * What several models wrote one after the other is as long as none of them writes. Lengths decide what strangers pay:
   * those who offer a model have no say in them, but for the operator, who may be all there is.
   */
  #recordLength(
    { observer: ear, outputTokens, requestTrace, inference, route, caller, answeredAt }: PendingAnswer,
    { accountId, model, promptFeatures, lends }: AnswerSample,
  ): void {
    if (!lends && !caller.operator) return;
    if (requestTrace.attempts.some(({ outcome }) => outcome === "cut-off")) return;
    const tokens = outputTokens / (inference.parameters.choices ?? 1);
    this.#options.lengths.record(model, route.task.kind, promptFeatures.domain, tokens, ear.isTruncated, (key) =>
      this.#lengthQuota.take(accountId, key, answeredAt),
    );
  }

  #recordVerdict(
    { observer: ear, requestTrace, inference, answeredAt }: PendingAnswer,
    answerSample: AnswerSample,
  ): void {
    const verdict = ear.verdict();
    const isFlawed = verdict === "no answer";
    // What was blacked out on its way is not what the model wrote.
    const wasChanged = requestTrace.outputVerdict?.action === "redact";
    if (!wasChanged && inference.cascade === undefined && (verdict === "kept its form" || verdict === "broke its form"))
      this.#recordOutcome(answerSample, "check", verdict === "kept its form" ? 1 : 0, CHECK_WEIGHT, answeredAt);
    const usual = this.#rates.flawed(answerSample.accountId);
    if (isFlawed) this.#recordOutcome(answerSample, "flaw", 0, FLAW_WEIGHT * (1 - usual), answeredAt);
    else this.#credit(answerSample, FLAW_WEIGHT * usual, answerSample.prior);
    this.#rates.recordAnswer(answerSample.accountId, isFlawed);
  }

  /**
   * That nobody complains proves nothing. An answer is credited with as much as the account's usual complaints take
   * away from all answers together, so that over all of them it adds up to nothing, and only models that are complained
   * of more or less often than usual move.
   */
  #credit(answerSample: AnswerSample, weight: number, surplus: number): void {
    recordOutcome(this.#options.evidence, answerSample, { weight, surplus });
  }

  #recordRepeat({ requestTrace, inference, answeredAt }: PendingAnswer, answerSample: AnswerSample): void {
    const print = conversationFingerprint(answerSample.accountId, inference.conversation);
    const earlier = this.#recent.takeAnsweredBefore(print, requestTrace.receivedAt.getTime());
    const repeats = earlier === undefined ? 0 : earlier.repeats + 1;
    if (repeats > MAX_REPEATS) {
      this.#recent.add(print, { answerSample, weight: 0, repeats }, answeredAt);
      return;
    }
    if (earlier !== undefined) this.#penalise(earlier, answeredAt);
    const weight = REPEAT_WEIGHT * this.#rates.repeated(answerSample.accountId);
    this.#credit(answerSample, weight, lossOf(answerSample));
    this.#recent.add(print, { answerSample, weight, repeats }, answeredAt);
  }

  /** The credit is taken back, and what others of this account usually get is taken off the blame. */
  #penalise({ answerSample, weight }: CreditedAnswer, nowMs: number): void {
    const usual = this.#rates.repeated(answerSample.accountId);
    retractOutcome(this.#options.evidence, answerSample, { weight, surplus: lossOf(answerSample) });
    const blame = REPEAT_WEIGHT * (1 - usual);
    recordOutcome(this.#options.evidence, answerSample, { weight: blame, surplus: -lossOf(answerSample) });
    if (blame > 0)
      this.#options.onOutcome(toOutcomeRecord(answerSample, "regeneration", REPEATED_OUTCOME, blame, nowMs));
    this.#rates.recordRepeat(answerSample.accountId);
  }

  #recordOutcome(
    answerSample: AnswerSample,
    source: OutcomeSource,
    outcome: number,
    weight: number,
    nowMs: number,
  ): void {
    if (weight <= 0) return;
    recordOutcome(this.#options.evidence, answerSample, { weight, surplus: outcome - answerSample.prior });
    this.#options.onOutcome(toOutcomeRecord(answerSample, source, outcome, weight, nowMs));
  }
}

/** How much worse than predicted an answer was that somebody asked for again. */
function lossOf({ prior }: AnswerSample): number {
  return Math.max(0, prior - REPEATED_OUTCOME);
}

/** Of an embedding or a transcript another one is the same. */
function isWorthRepeating({ task, batch }: Inference): boolean {
  return batch === undefined && task.kind !== "embedding" && task.kind !== "transcription";
}
