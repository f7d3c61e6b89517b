import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import type { CollectedAnswer } from "@trunkline/core/collected-answer.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { cachedFullNameOf, fullNameOf } from "@trunkline/core/model.ts";
import type { Attempt } from "@trunkline/core/provider-failure.ts";
import type { Candidate, Route } from "@trunkline/core/route.ts";
import { BaselineRates, conversationFingerprint } from "./implicit-feedback.ts";
import { judgeAnswer } from "./judge-answer.ts";
import type { OutcomeRecord, OutcomeSource } from "./learning-store.ts";
import { LengthQuota, type LengthStats } from "./length-stats.ts";
import type { OutcomeStats } from "./outcome-stats.ts";
import { type AnswerSample, countedDomains, recordOutcome, retractOutcome, toOutcomeRecord } from "./outcomes.ts";
import { type CreditedAnswer, RecentAnswers } from "./recent-answers.ts";

const CHECK_WEIGHT = 1;
const FLAW_WEIGHT = 1;
const REPEAT_WEIGHT = 0.5;
/** The outcome of an answer whose question was repeated. */
const REPEATED_OUTCOME = 0.25;
/** A client that repeats a question more often is an automatic one, and gives no signal. */
const MAX_REPEATS = 3;
/** The limit of answers that wait to be processed; further ones are ignored. */
const MAX_WAITING_ANSWERS = 5_000;
/** How many answers are processed in one turn of the event loop. */
const ANSWERS_PER_TURN = 32;

export interface OutcomeLearnerOptions {
  readonly evidence: OutcomeStats;
  readonly lengths: LengthStats;
  readonly clock: Clock;
  isFrozen(caller: Pick<Caller, "learning">): boolean;
  /** Called for every counted outcome. */
  onOutcome(outcome: OutcomeRecord): void;
  onError(error: unknown): void;
}

/** A settled answer to learn from. */
export interface ServedRequest {
  readonly requestId: string;
  readonly receivedAt: Date;
  readonly caller: Caller;
  readonly inference: Inference;
  readonly route: Route;
  readonly chosen: Candidate;
  readonly attempts: readonly Attempt[];
  /** The safety check removed something from the answer, so that it is not what the model wrote. */
  readonly wasRedacted: boolean;
  readonly answer: CollectedAnswer;
  readonly outputTokens: number;
  /** A repetition with an idempotency key wants the same answer, not another one. */
  readonly hasIdempotencyKey: boolean;
}

/** Learns from answers without feedback: that there was none, that it had the wrong form, that the question was repeated. */
export class OutcomeLearner {
  readonly #options: OutcomeLearnerOptions;
  readonly #rates = new BaselineRates();
  readonly #recent = new RecentAnswers();
  readonly #lengthQuota = new LengthQuota();
  #waiting: { readonly served: ServedRequest; readonly answeredAt: number }[] = [];
  #isScheduled = false;

  constructor(options: OutcomeLearnerOptions) {
    this.#options = options;
  }

  /** Queues a settled answer. It is processed after the client has it. Never throws. A cached answer was counted before. */
  record(served: ServedRequest): void {
    if (this.#options.isFrozen(served.caller) || this.#waiting.length >= MAX_WAITING_ANSWERS) return;
    this.#waiting.push({ served, answeredAt: this.#options.clock.now() });
    this.#schedule();
  }

  /** Processes the queued answers. */
  drain(): void {
    while (this.#waiting.length > 0) this.#drainSome();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#drainTurn);
  }

  readonly #drainTurn = () => {
    this.#isScheduled = false;
    this.#drainSome();
    if (this.#waiting.length > 0) this.#schedule();
  };

  #drainSome(): void {
    const queue = this.#waiting;
    this.#waiting = queue.length > ANSWERS_PER_TURN ? queue.splice(ANSWERS_PER_TURN) : [];
    for (const { served, answeredAt } of queue) {
      try {
        this.#learnFrom(served, answeredAt);
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }

  #learnFrom(served: ServedRequest, answeredAt: number): void {
    const answerSample = this.#sampleOf(served, served.chosen);
    this.#recordLength(served, answerSample, answeredAt);
    if (served.inference.cascade !== undefined) this.#recordChecks(served, answeredAt);
    this.#recordVerdict(served, answerSample, answeredAt);
    if (!served.hasIdempotencyKey && isWorthRepeating(served.inference))
      this.#recordRepeat(served, answerSample, answeredAt);
  }

  #sampleOf({ caller, requestId, route }: ServedRequest, { model, quality, unlearnt }: Candidate): AnswerSample {
    const { accountId } = caller;
    return {
      accountId,
      requestId,
      model: cachedFullNameOf(model),
      // Samples are kept for minutes: all that the prediction needs would be several times their size.
      domain: route.promptFeatures.domain,
      counted: countedDomains(route.promptFeatures),
      prior: unlearnt ?? quality,
      predictedQuality: quality,
      propensity: route.propensity ?? 1,
      lends: model.accountId !== accountId,
    };
  }

  /** For a cascade: the models whose answers failed the check, and the one that passed. The last answer is not checked. */
  #recordChecks(served: ServedRequest, answeredAt: number): void {
    const { route, chosen, attempts } = served;
    for (const { model, outcome } of attempts) {
      const failed = route.ranking.find(({ candidate }) => fullNameOf(candidate.model) === model)?.candidate;
      if (outcome !== "failed-check" || failed === undefined) continue;
      this.#recordOutcome(this.#sampleOf(served, failed), "check", 0, CHECK_WEIGHT, answeredAt);
    }
    if (chosen !== route.ranking.at(-1)?.candidate)
      this.#recordOutcome(this.#sampleOf(served, chosen), "check", 1, CHECK_WEIGHT, answeredAt);
  }

  /**
   * An answer that several models wrote has no length of its own. Lengths decide what other accounts pay, so requests of
   * a model's owner do not count, except the operator's, who may be the only client.
   */
  #recordLength(
    { answer, outputTokens, attempts, inference, route, caller }: ServedRequest,
    { accountId, model, domain, lends }: AnswerSample,
    answeredAt: number,
  ): void {
    if (!lends && !caller.operator) return;
    for (const { outcome } of attempts) if (outcome === "cut-off") return;
    const tokens = outputTokens / (inference.parameters.choices ?? 1);
    const isTruncated = answer.finish?.reason === "length";
    this.#options.lengths.record(model, route.task.kind, domain, tokens, isTruncated, (ofModel, task, ofDomain) =>
      this.#lengthQuota.take(accountId, ofModel, task, ofDomain, answeredAt),
    );
  }

  #recordVerdict(
    { answer, wasRedacted, inference }: ServedRequest,
    answerSample: AnswerSample,
    answeredAt: number,
  ): void {
    const verdict = judgeAnswer(inference, answer);
    const isFlawed = verdict === "no answer";
    if (
      !wasRedacted &&
      inference.cascade === undefined &&
      (verdict === "kept its form" || verdict === "broke its form")
    )
      this.#recordOutcome(answerSample, "check", verdict === "kept its form" ? 1 : 0, CHECK_WEIGHT, answeredAt);
    const usual = this.#rates.flawed(answerSample.accountId);
    if (isFlawed) this.#recordOutcome(answerSample, "flaw", 0, FLAW_WEIGHT * (1 - usual), answeredAt);
    else this.#credit(answerSample, FLAW_WEIGHT * usual, answerSample.prior);
    this.#rates.recordAnswer(answerSample.accountId, isFlawed);
  }

  /**
   * A missing complaint proves nothing. Each answer is credited with what the account's usual complaints subtract per
   * answer, so that the sum over all answers is zero, and only models with more or fewer complaints than usual change.
   */
  #credit(answerSample: AnswerSample, weight: number, surplus: number): void {
    if (weight === 0) return;
    recordOutcome(this.#options.evidence, answerSample, { weight, surplus });
  }

  #recordRepeat({ receivedAt, inference }: ServedRequest, answerSample: AnswerSample, answeredAt: number): void {
    const print = conversationFingerprint(answerSample.accountId, inference.conversation);
    const repeats = this.#recent.repeatsOf(print, receivedAt.getTime());
    if (repeats > MAX_REPEATS) {
      this.#recent.add(print, answerSample, 0, repeats, answeredAt);
      return;
    }
    const earlier = this.#recent.takeAnsweredBefore(print, receivedAt.getTime());
    if (earlier !== undefined) this.#penalise(earlier, answeredAt);
    const weight = REPEAT_WEIGHT * this.#rates.repeated(answerSample.accountId);
    this.#credit(answerSample, weight, lossOf(answerSample));
    this.#recent.add(print, answerSample, weight, repeats, answeredAt);
  }

  /** Takes the credit back and counts the repetition, less the account's usual rate. */
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

/** How much worse than predicted an answer was whose question was repeated. */
function lossOf({ prior }: AnswerSample): number {
  return Math.max(0, prior - REPEATED_OUTCOME);
}

/** Another embedding or transcript would be the same. */
function isWorthRepeating({ task, batch }: Inference): boolean {
  return batch === undefined && task.kind !== "embedding" && task.kind !== "transcription";
}
