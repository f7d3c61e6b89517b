import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Catalogue } from "../candidates/catalogue.ts";
import type { CountedOutcome } from "./learning-store.ts";
import type { EvidenceBook } from "./outcome-stats.ts";
import { countedOf, type Lesson, reteach, teach } from "./outcomes.ts";

const WEIGHT = 3;
const LONGEST_AFTER_MS = 30 * 24 * 3_600_000;

/** What a client says of an answer. */
export interface Feedback {
  /** −1, as bad as can be, to 1. */
  readonly score: number;
  readonly comment: string | undefined;
  readonly at: Date;
}

/** A request of one's own, as its record tells it. */
export interface RecordedRequest {
  readonly id: string;
  readonly createdAt: Date;
  /** Whether a model answered it. */
  readonly isAnswered: boolean;
  /** Who gave the answer and what was known before; undefined where the record is too old to tell. */
  readonly choice: RecordedChoice | undefined;
}

/** `model` is whoever made the answer, also where it was given again. */
export type RecordedChoice = Omit<Lesson, "accountId" | "requestId" | "lends">;

export interface FeedbackStore {
  /** Keeps what was said last, and what is counted for it. Resolves to the outcome that was counted before. */
  keep(
    accountId: string,
    requestId: string,
    feedback: Feedback,
    counted: CountedOutcome | undefined,
  ): Promise<number | undefined>;
}

export interface FeedbackParts {
  readonly store: FeedbackStore;
  readonly evidence: EvidenceBook;
  readonly clock: Clock;
  readonly catalogueFor: (caller: Caller) => Catalogue;
  readonly isFrozen: (caller: Pick<Caller, "learning">) => boolean;
  /** Told when something is to be brought to the others. */
  readonly taught: () => void;
}

/** Takes what clients say of their answers. What is said later replaces what was said before. */
export class FeedbackDesk {
  readonly #parts: FeedbackParts;

  constructor(parts: FeedbackParts) {
    this.#parts = parts;
  }

  async give(caller: Caller, request: RecordedRequest, said: Omit<Feedback, "at">): Promise<Feedback> {
    const { store, clock, isFrozen } = this.#parts;
    const now = clock.now();
    refuseUnfit(request, now);
    const feedback = { ...said, at: new Date(now) };
    const outcome = (said.score + 1) / 2;
    const lesson = isFrozen(caller) ? undefined : this.#lessonOf(caller, request);
    const counted = lesson && countedOf(lesson, "feedback", outcome, WEIGHT, now);
    const before = await store.keep(caller.accountId, request.id, feedback, counted);
    if (lesson !== undefined) this.#teach(lesson, outcome, before);
    return feedback;
  }

  #teach(lesson: Lesson, outcome: number, before: number | undefined): void {
    const { evidence, taught } = this.#parts;
    if (before === undefined) teach(evidence, lesson, { weight: WEIGHT, surplus: outcome - lesson.prior });
    else reteach(evidence, lesson, WEIGHT, outcome - before);
    taught();
  }

  #lessonOf(caller: Caller, { id, choice }: RecordedRequest): Lesson | undefined {
    if (choice === undefined) return undefined;
    const { accountId, provider } = caller;
    const model = this.#parts.catalogueFor(caller).byName(choice.model)[0];
    // The name of who offers a model stays theirs, also where the model is gone.
    const isOwn = model?.accountId === accountId || choice.model.startsWith(`${provider}/`);
    return { ...choice, accountId, requestId: id, lends: !isOwn };
  }
}

function refuseUnfit({ createdAt, isAnswered }: RecordedRequest, now: number): void {
  if (!isAnswered)
    throw new Fault("conflict", "No model answered this request, so there is nothing to give feedback on.");
  if (now - createdAt.getTime() > LONGEST_AFTER_MS)
    throw new Fault("conflict", "This request is more than 30 days old. Feedback is taken up to then.");
}
