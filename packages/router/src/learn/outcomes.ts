import type { DomainShare, Reading } from "@trunkline/core/prediction.ts";
import type { CountedOutcome, OutcomeSource } from "./learning-store.ts";
import type { EvidenceBook } from "./outcome-stats.ts";

/** Of a request that may be of many domains, the likeliest. */
const MOST_SHARES = 5;
const LEAST_SHARE = 0.05;

/** One answer that something can be learnt from: who gave it, to what, and what was thought of it before. */
export interface Lesson {
  readonly accountId: string;
  readonly requestId: string;
  /** `provider/name` */
  readonly model: string;
  readonly reading: Pick<Reading, "domain" | "shares">;
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
export interface Weighed {
  readonly weight: number;
  readonly surplus: number;
}

/** The domains that an outcome is counted for. */
export function domainsOf({ domain, shares }: Lesson["reading"]): readonly DomainShare[] {
  if (shares.length === 0) return [{ domain, share: 1 }];
  return shares.slice(0, MOST_SHARES).filter(({ share }) => share >= LEAST_SHARE);
}

/** Counts an outcome for every domain that the request may be of. What counts little makes others forgotten little. */
export function teach(evidence: EvidenceBook, lesson: Lesson, { weight, surplus }: Weighed): void {
  add(evidence, lesson, weight, surplus, Math.min(1, weight));
}

/** Takes an outcome back. What was forgotten meanwhile stays forgotten. */
export function unteach(evidence: EvidenceBook, lesson: Lesson, { weight, surplus }: Weighed): void {
  add(evidence, lesson, -weight, surplus, 0);
}

/** Changes what was said of an answer, at the weight that it has. */
export function reteach(evidence: EvidenceBook, lesson: Lesson, weight: number, difference: number): void {
  for (const { domain, share } of domainsOf(lesson.reading)) {
    const { accountId, model, lends } = lesson;
    evidence.note({
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

function add(
  evidence: EvidenceBook,
  { accountId, model, lends, reading }: Lesson,
  weight: number,
  surplus: number,
  steps: number,
): void {
  if (weight === 0) return;
  for (const { domain, share } of domainsOf(reading)) {
    evidence.note({
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
export function countedOf(
  { accountId, requestId, model, reading, propensity, predictedQuality }: Lesson,
  source: OutcomeSource,
  outcome: number,
  weight: number,
  nowMs: number,
): CountedOutcome {
  return {
    accountId,
    requestId,
    source,
    model,
    domain: reading.domain,
    propensity,
    predictedQuality,
    outcome,
    weight,
    notedAt: new Date(nowMs),
  };
}
