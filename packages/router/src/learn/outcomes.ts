import type { DomainShare, PromptFeatures } from "@trunkline/core/prediction.ts";
import type { OutcomeRecord, OutcomeSource } from "./learning-store.ts";
import type { OutcomeStats } from "./outcome-stats.ts";

/** Of a request that may be of many domains, the likeliest. */
const MAX_SHARES = 5;
const MIN_SHARE = 0.05;

/** One answer that something can be learnt from: who gave it, to what, and what was thought of it before. */
export interface AnswerSample {
  readonly accountId: string;
  readonly requestId: string;
  /** `provider/name` */
  readonly model: string;
  readonly promptFeatures: Pick<PromptFeatures, "domain" | "shares">;
  /** What is predicted without any outcomes. */
  readonly prior: number;
  /** What was predicted when the model was chosen. */
  readonly predictedQuality: number;
  /** How likely the choice was. */
  readonly propensity: number;
  /** Whether others may learn from it: it is not the account's own model. */
  readonly lends: boolean;
}

/** How much an outcome counts, and by how much it was better than predicted, −1 to 1. */
export interface OutcomeWeight {
  readonly weight: number;
  readonly surplus: number;
}

/** The domains that an outcome is counted for. */
export function domainsOf({ domain, shares }: AnswerSample["promptFeatures"]): readonly DomainShare[] {
  if (shares.length === 0) return [{ domain, share: 1 }];
  return shares.slice(0, MAX_SHARES).filter(({ share }) => share >= MIN_SHARE);
}

/** Counts an outcome for every domain that the request may be of. What counts little makes others forgotten little. */
export function recordOutcome(
  evidence: OutcomeStats,
  answerSample: AnswerSample,
  { weight, surplus }: OutcomeWeight,
): void {
  addToStats(evidence, answerSample, weight, surplus, Math.min(1, weight));
}

/** Takes an outcome back. What was forgotten meanwhile stays forgotten. */
export function retractOutcome(
  evidence: OutcomeStats,
  answerSample: AnswerSample,
  { weight, surplus }: OutcomeWeight,
): void {
  addToStats(evidence, answerSample, -weight, surplus, 0);
}

/** Changes what was said of an answer, at the weight that it has. */
export function adjustOutcome(
  evidence: OutcomeStats,
  answerSample: AnswerSample,
  weight: number,
  difference: number,
): void {
  for (const { domain, share } of domainsOf(answerSample.promptFeatures)) {
    const { accountId, model, lends } = answerSample;
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
  { accountId, model, lends, promptFeatures }: AnswerSample,
  weight: number,
  surplus: number,
  steps: number,
): void {
  if (weight === 0) return;
  for (const { domain, share } of domainsOf(promptFeatures)) {
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

/** The outcome, as it is kept one by one. */
export function toOutcomeRecord(
  { accountId, requestId, model, promptFeatures, propensity, predictedQuality }: AnswerSample,
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
    domain: promptFeatures.domain,
    propensity,
    predictedQuality,
    outcome,
    weight,
    notedAt: new Date(nowMs),
  };
}
