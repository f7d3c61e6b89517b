import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Catalogue } from "../candidates/catalogue.ts";
import type { OutcomeRecord } from "./learning-store.ts";
import type { OutcomeStats } from "./outcome-stats.ts";
import { type AnswerSample, adjustOutcome, recordOutcome, toOutcomeRecord } from "./outcomes.ts";

const FEEDBACK_WEIGHT = 3;
const MAX_REQUEST_AGE_MS = 30 * 24 * 3_600_000;

/** What a client says of an answer. */
export interface AnswerFeedback {
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
export type RecordedChoice = Omit<AnswerSample, "accountId" | "requestId" | "lends">;

export interface FeedbackStore {
  /** Keeps what was said last, and what is counted for it. Resolves to the outcome that was counted before. */
  keep(
    accountId: string,
    requestId: string,
    answerFeedback: AnswerFeedback,
    counted: OutcomeRecord | undefined,
  ): Promise<number | undefined>;
}

export interface FeedbackOptions {
  readonly store: FeedbackStore;
  readonly evidence: OutcomeStats;
  readonly clock: Clock;
  readonly catalogueFor: (caller: Caller) => Catalogue;
  readonly isFrozen: (caller: Pick<Caller, "learning">) => boolean;
  /** Told when something is to be brought to the others. */
  readonly onRecorded: () => void;
}

/** Takes what clients say of their answers. What is said later replaces what was said before. */
export class Feedback {
  readonly #options: FeedbackOptions;

  constructor(parts: FeedbackOptions) {
    this.#options = parts;
  }

  async submit(caller: Caller, request: RecordedRequest, said: Omit<AnswerFeedback, "at">): Promise<AnswerFeedback> {
    const { store, clock, isFrozen } = this.#options;
    const now = clock.now();
    refuseUnlessRatable(request, now);
    const feedback = { ...said, at: new Date(now) };
    const outcome = (said.score + 1) / 2;
    const answerSample = isFrozen(caller) ? undefined : this.#sampleOf(caller, request);
    const counted = answerSample && toOutcomeRecord(answerSample, "feedback", outcome, FEEDBACK_WEIGHT, now);
    const before = await store.keep(caller.accountId, request.id, feedback, counted);
    if (answerSample !== undefined) this.#record(answerSample, outcome, before);
    return feedback;
  }

  #record(answerSample: AnswerSample, outcome: number, before: number | undefined): void {
    const { evidence, onRecorded: taught } = this.#options;
    if (before === undefined)
      recordOutcome(evidence, answerSample, {
        weight: FEEDBACK_WEIGHT,
        surplus: outcome - answerSample.prior,
      });
    else adjustOutcome(evidence, answerSample, FEEDBACK_WEIGHT, outcome - before);
    taught();
  }

  #sampleOf(caller: Caller, { id, choice }: RecordedRequest): AnswerSample | undefined {
    if (choice === undefined) return undefined;
    const { accountId, provider } = caller;
    const model = this.#options.catalogueFor(caller).byName(choice.model)[0];
    // The name of who offers a model stays theirs, also where the model is gone.
    const isOwn = model?.accountId === accountId || choice.model.startsWith(`${provider}/`);
    return { ...choice, accountId, requestId: id, lends: !isOwn };
  }
}

function refuseUnlessRatable({ createdAt, isAnswered }: RecordedRequest, now: number): void {
  if (!isAnswered)
    throw new Fault("conflict", "No model answered this request, so there is nothing to give feedback on.");
  if (now - createdAt.getTime() > MAX_REQUEST_AGE_MS)
    throw new Fault("conflict", "This request is more than 30 days old. Feedback is taken up to then.");
}
