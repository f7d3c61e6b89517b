import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Catalogue } from "../candidates/catalogue.ts";
import type { OutcomeRecord } from "./learning-store.ts";
import type { OutcomeStats } from "./outcome-stats.ts";
import { type AnswerSample, adjustOutcome, recordOutcome, toOutcomeRecord } from "./outcomes.ts";

const FEEDBACK_WEIGHT = 3;
const MAX_REQUEST_AGE_MS = 30 * 24 * 3_600_000;

/** A client's rating of an answer. */
export interface AnswerFeedback {
  /** −1, the worst, to 1. */
  readonly score: number;
  readonly comment: string | undefined;
  readonly at: Date;
}

/** A recorded request of the account. */
export interface RecordedRequest {
  readonly id: string;
  readonly createdAt: Date;
  /** Whether a model answered it. */
  readonly isAnswered: boolean;
  /** The answer and its prediction; undefined: the record is too old to hold them. */
  readonly choice: RecordedChoice | undefined;
}

/** `model` is the model that made the answer, also for an answer from the cache. */
export type RecordedChoice = Omit<AnswerSample, "accountId" | "requestId" | "lends">;

export interface FeedbackStore {
  /** Stores the latest feedback and its outcome. Resolves to the outcome that was counted before. */
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
  /** Called when there is something to synchronise with other instances. */
  readonly onRecorded: () => void;
}

/** Records the feedback of clients on their answers. Later feedback replaces earlier feedback. */
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
    // A provider's name stays with its account, also after the model was removed.
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
