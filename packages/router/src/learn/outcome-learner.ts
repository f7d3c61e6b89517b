import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Journal } from "@trunkline/core/journal.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { Candidate, Route } from "@trunkline/core/route.ts";
import { AnswerEar } from "./answer-ear.ts";
import { printOf } from "./conversation-print.ts";
import type { CountedOutcome, OutcomeSource } from "./learning-store.ts";
import type { LengthBook } from "./length-book.ts";
import { LengthQuota } from "./length-quota.ts";
import type { EvidenceBook } from "./outcome-stats.ts";
import { countedOf, type Lesson, teach, unteach } from "./outcomes.ts";
import { RecentAnswers } from "./recent-answers.ts";
import { UsualRates } from "./usual-rates.ts";

const CHECK_WEIGHT = 1;
const FLAW_WEIGHT = 1;
const REPEAT_WEIGHT = 0.5;
/** What an answer was worth to somebody who asked for another one. */
const REPEATED_OUTCOME = 0.25;
/** Who asks the same more often than this is a machine that always does: it complains of nothing. */
const MOST_REPEATS = 3;
/** While the process is busy no more than this many answers wait to be learnt from; the rest teach nothing. */
const MOST_WAITING = 5_000;

export interface LessonParts {
  readonly evidence: EvidenceBook;
  readonly lengths: LengthBook;
  readonly clock: Clock;
  isFrozen(caller: Pick<Caller, "learning">): boolean;
  /** Told of every outcome that was counted. */
  count(outcome: CountedOutcome): void;
  onError(error: unknown): void;
}

/** How a request was answered, as far as something can be learnt from it. */
export interface Heard {
  readonly ear: AnswerEar;
  readonly outputTokens: number;
  /** It came under an idempotency key: whoever sends it again wants the same answer, not another. */
  readonly isKeyed: boolean;
}

interface Answered extends Heard {
  readonly caller: Caller;
  readonly journal: Journal;
  readonly inference: Inference;
  readonly route: Route;
  readonly chosen: Candidate;
  readonly answeredAt: number;
}

interface Credited {
  readonly lesson: Lesson;
  readonly weight: number;
  /** How often the same was asked before, one time soon after the other. */
  readonly repeats: number;
}

/** Learns from answers what nobody has to say: that there was none, that it had the wrong form, that another was asked for. */
export class Lessons {
  readonly #parts: LessonParts;
  readonly #rates = new UsualRates();
  readonly #recent = new RecentAnswers<Credited>();
  readonly #lengthQuota = new LengthQuota();
  #waiting: Answered[] = [];

  constructor(parts: LessonParts) {
    this.#parts = parts;
  }

  listen(inference: Inference): AnswerEar {
    return new AnswerEar(inference);
  }

  /** Takes note of an answer that was settled. It is looked at once the client has it. Never throws. */
  note(journal: Journal, heard: Heard): void {
    const { caller, inference, route, chosen } = journal;
    if (caller === undefined || inference === undefined || route === undefined || chosen === undefined)
      return;
    // What was given before teaches nothing new.
    if (journal.cache?.result === "hit" || this.#parts.isFrozen(caller)) return;
    if (this.#waiting.length >= MOST_WAITING) return;
    if (this.#waiting.length === 0) setImmediate(() => this.drain());
    const answeredAt = this.#parts.clock.now();
    this.#waiting.push({ ...heard, caller, journal, inference, route, chosen, answeredAt });
  }

  /** Looks at all that waits. */
  drain(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const answered of waiting) {
      try {
        this.#learnFrom(answered);
      } catch (error) {
        this.#parts.onError(error);
      }
    }
  }

  #learnFrom(answered: Answered): void {
    const { inference, chosen } = answered;
    const lesson = this.#lessonOf(answered, chosen);
    this.#noteLength(answered, lesson);
    this.#noteChecks(answered);
    this.#judge(answered, lesson);
    if (!answered.isKeyed && isWorthRepeating(inference)) this.#noteRepeat(answered, lesson);
  }

  #lessonOf(
    { caller: { accountId }, journal, route }: Answered,
    { model, quality, unlearnt }: Candidate,
  ): Lesson {
    return {
      accountId,
      requestId: journal.requestId,
      model: fullNameOf(model),
      reading: route.reading,
      prior: unlearnt ?? quality,
      predictedQuality: quality,
      propensity: route.propensity ?? 1,
      lends: model.accountId !== accountId,
    };
  }

  /** Of a cascade, the models whose answers were thrown away, and the one whose answer passed. The last is not checked. */
  #noteChecks(answered: Answered): void {
    const { inference, route, chosen, journal, answeredAt } = answered;
    if (inference.cascade === undefined) return;
    for (const { model, outcome } of journal.attempts) {
      const failed = route.candidates.find((candidate) => fullNameOf(candidate.model) === model);
      if (outcome !== "failed-check" || failed === undefined) continue;
      this.#count(this.#lessonOf(answered, failed), "check", 0, CHECK_WEIGHT, answeredAt);
    }
    if (chosen !== route.candidates.at(-1))
      this.#count(this.#lessonOf(answered, chosen), "check", 1, CHECK_WEIGHT, answeredAt);
  }

  /**
   * What several models wrote one after the other is as long as none of them writes. Lengths decide what strangers pay:
   * those who offer a model have no say in them, but for the operator, who may be all there is.
   */
  #noteLength(
    { ear, outputTokens, journal, inference, route, caller, answeredAt }: Answered,
    { accountId, model, reading, lends }: Lesson,
  ): void {
    if (!lends && !caller.operator) return;
    if (journal.attempts.some(({ outcome }) => outcome === "cut-off")) return;
    const tokens = outputTokens / (inference.parameters.choices ?? 1);
    this.#parts.lengths.note(model, route.task.kind, reading.domain, tokens, ear.isCutOff, (key) =>
      this.#lengthQuota.take(accountId, key, answeredAt),
    );
  }

  #judge({ ear, journal, inference, answeredAt }: Answered, lesson: Lesson): void {
    const verdict = ear.judge();
    const isFlawed = verdict === "no answer";
    // What was blacked out on its way is not what the model wrote.
    const wasChanged = journal.outputVerdict?.action === "redact";
    if (
      !wasChanged &&
      inference.cascade === undefined &&
      (verdict === "kept its form" || verdict === "broke its form")
    )
      this.#count(lesson, "check", verdict === "kept its form" ? 1 : 0, CHECK_WEIGHT, answeredAt);
    const usual = this.#rates.flawed(lesson.accountId);
    if (isFlawed) this.#count(lesson, "flaw", 0, FLAW_WEIGHT * (1 - usual), answeredAt);
    else this.#credit(lesson, FLAW_WEIGHT * usual, lesson.prior);
    this.#rates.note(lesson.accountId, isFlawed);
  }

  /**
   * That nobody complains proves nothing. An answer is credited with as much as the account's usual complaints take
   * away from all answers together, so that over all of them it adds up to nothing, and only models that are complained
   * of more or less often than usual move.
   */
  #credit(lesson: Lesson, weight: number, surplus: number): void {
    teach(this.#parts.evidence, lesson, { weight, surplus });
  }

  #noteRepeat({ journal, inference, answeredAt }: Answered, lesson: Lesson): void {
    const print = printOf(lesson.accountId, inference.conversation);
    const earlier = this.#recent.takeBefore(print, journal.receivedAt.getTime());
    const repeats = earlier === undefined ? 0 : earlier.repeats + 1;
    if (repeats > MOST_REPEATS) {
      this.#recent.keep(print, { lesson, weight: 0, repeats }, answeredAt);
      return;
    }
    if (earlier !== undefined) this.#blame(earlier, answeredAt);
    const weight = REPEAT_WEIGHT * this.#rates.repeated(lesson.accountId);
    this.#credit(lesson, weight, lossOf(lesson));
    this.#recent.keep(print, { lesson, weight, repeats }, answeredAt);
  }

  /** The credit is taken back, and what others of this account usually get is taken off the blame. */
  #blame({ lesson, weight }: Credited, nowMs: number): void {
    const usual = this.#rates.repeated(lesson.accountId);
    unteach(this.#parts.evidence, lesson, { weight, surplus: lossOf(lesson) });
    const blame = REPEAT_WEIGHT * (1 - usual);
    teach(this.#parts.evidence, lesson, { weight: blame, surplus: -lossOf(lesson) });
    if (blame > 0) this.#parts.count(countedOf(lesson, "regeneration", REPEATED_OUTCOME, blame, nowMs));
    this.#rates.noteRepeated(lesson.accountId);
  }

  #count(lesson: Lesson, source: OutcomeSource, outcome: number, weight: number, nowMs: number): void {
    if (weight <= 0) return;
    teach(this.#parts.evidence, lesson, { weight, surplus: outcome - lesson.prior });
    this.#parts.count(countedOf(lesson, source, outcome, weight, nowMs));
  }
}

/** How much worse than predicted an answer was that somebody asked for again. */
function lossOf({ prior }: Lesson): number {
  return Math.max(0, prior - REPEATED_OUTCOME);
}

/** Of an embedding or a transcript another one is the same. */
function isWorthRepeating({ task, batch }: Inference): boolean {
  return batch === undefined && task.kind !== "embedding" && task.kind !== "transcription";
}
