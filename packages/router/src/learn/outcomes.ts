import type { DomainShare, PromptFeatures } from "@trunkline/core/prediction.ts";
import type { OutcomeRecord, OutcomeSource } from "./learning-store.ts";
import type { OutcomeStats } from "./outcome-stats.ts";

/** How many of the most likely domains of a request are counted. */
export const MAX_SHARES = 5;
const MIN_SHARE = 0.05;

/** An answer with its model, request and prediction. */
export interface AnswerSample {
  readonly accountId: string;
  readonly requestId: string;
  /** `provider/name` */
  readonly model: string;
  /** The most likely domain of the request. */
  readonly domain: string;
  /** The domains that an outcome counts for. */
  readonly counted: readonly DomainShare[];
  /** The prediction without outcomes. */
  readonly prior: number;
  /** The prediction when the model was chosen. */
  readonly predictedQuality: number;
  /** The probability of the choice. */
  readonly propensity: number;
  /** Whether it counts for other accounts: the model is not the account's own. */
  readonly lends: boolean;
}

/** The weight of an outcome, and how much better than predicted it was, −1 to 1. */
export interface OutcomeWeight {
  readonly weight: number;
  readonly surplus: number;
}

/** The domains that an outcome of a request counts for. */
export function countedDomains({ domain, shares }: Pick<PromptFeatures, "domain" | "shares">): readonly DomainShare[] {
  if (shares.length === 0) return [{ domain, share: 1 }];
  // The most likely ones come first.
  let count = 0;
  while (count < MAX_SHARES && (shares[count]?.share ?? 0) >= MIN_SHARE) count++;
  return shares.slice(0, count);
}

/** Counts an outcome for each possible domain of the request. A small weight also causes little decay. */
export function recordOutcome(
  evidence: OutcomeStats,
  answerSample: AnswerSample,
  { weight, surplus }: OutcomeWeight,
): void {
  addToStats(evidence, answerSample, weight, surplus, Math.min(1, weight));
}

/** Retracts an outcome. The decay since then stays. */
export function retractOutcome(
  evidence: OutcomeStats,
  answerSample: AnswerSample,
  { weight, surplus }: OutcomeWeight,
): void {
  addToStats(evidence, answerSample, -weight, surplus, 0);
}

/** Replaces the outcome of an answer, with its weight. */
export function adjustOutcome(
  evidence: OutcomeStats,
  answerSample: AnswerSample,
  weight: number,
  difference: number,
): void {
  const { accountId, model, lends } = answerSample;
  for (const { domain, share } of answerSample.counted) {
    evidence.record({
      accountId,
      model,
      domain,
      lends,
      steps: 0,
      weight: 0,
      surplus: weight * share * difference,
    });
  }
}

function addToStats(
  evidence: OutcomeStats,
  { accountId, model, lends, counted }: AnswerSample,
  weight: number,
  surplus: number,
  steps: number,
): void {
  if (weight === 0) return;
  for (const { domain, share } of counted) {
    evidence.record({
      accountId,
      model,
      domain,
      lends,
      steps: steps * share,
      weight: weight * share,
      surplus: weight * share * Math.max(-1, Math.min(surplus, 1)),
    });
  }
}

/** The record of a single outcome. */
export function toOutcomeRecord(
  { accountId, requestId, model, domain, propensity, predictedQuality }: AnswerSample,
  source: OutcomeSource,
  outcome: number,
  weight: number,
  nowMs: number,
): OutcomeRecord {
  return {
    accountId,
    requestId,
    source,
    model,
    domain,
    propensity,
    predictedQuality,
    outcome,
    weight,
    notedAt: new Date(nowMs),
  };
}
