import type { Inference, Task } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import { traitsOf } from "@trunkline/core/model-traits.ts";
import type { Fit, Prediction, PromptFeatures } from "@trunkline/core/prediction.ts";

/** Predicts how good each model's answer to a request will be, before a provider is called. */
export interface Predictor {
  /** The pool is what the service may choose from; undefined: not known. */
  extractFeatures(inference: Inference, pool?: readonly Model[]): PromptFeatures;
  /** `into` may be written to and returned: one object for all models of a request. */
  predict(
    model: Model,
    promptFeatures: PromptFeatures,
    fit: Fit,
    accountId: string,
    into?: MutablePrediction,
  ): Prediction;
  /** The usual length of this model's answers by recorded outcomes; undefined: unknown. */
  expectedOutputTokens(model: Model, promptFeatures: PromptFeatures): number | undefined;
}

export type MutablePrediction = { -readonly [Field in keyof Prediction]: Prediction[Field] };

/** How a model's listed work fits a task. */
export function fitTask(model: Model, task: Task): Fit {
  return traitsOf(model).fitFor(task);
}

/** The quality of a model without a claim. */
const UNKNOWN_QUALITY = 0.5;

/** How far towards 1 the claim of a model is moved that lists the work. */
const LISTED_GAIN = 0.2;
const RELATED_GAIN = 0.1;

/** Reduces the claim of a model that lists only other work. */
const OTHER_WORK_FACTOR = 0.95;

/**
 * The claimed quality of this model for this work, 0 to 1: the provider's claim, changed by how well the work fits. Used
 * until there are outcomes.
 */
export function claimedQualityOfModel(model: Model, fit: Fit): number {
  return claimedQuality(model.accuracyScore, fit);
}

/** A claim, 0 to 1, changed by how well the work fits; undefined: there is none. */
export function claimedQuality(claim: number | undefined, fit: Fit): number {
  const claimed = claim ?? UNKNOWN_QUALITY;
  switch (fit) {
    case "listed":
      return claimed + LISTED_GAIN * (1 - claimed);
    case "related":
      return claimed + RELATED_GAIN * (1 - claimed);
    case "other":
      return claimed * OTHER_WORK_FACTOR;
    case "unsaid":
      return claimed;
  }
}

/** How far below its claim the quality of a model without outcomes may be. */
const CLAIM_MARGIN = 0.15;

/** Predicts from the claims of providers alone. */
export const metadataPredictor: Predictor = {
  extractFeatures: ({ task }: Inference): PromptFeatures => ({
    domain: task.kind,
    family: task.kind,
    confidence: 0,
    difficulty: 0.5,
    shares: [],
  }),
  predict(model: Model, _promptFeatures: PromptFeatures, fit: Fit): Prediction {
    const quality = claimedQualityOfModel(model, fit);
    return { quality, lower: Math.max(0, quality - CLAIM_MARGIN), evidence: 0 };
  },
  expectedOutputTokens: () => undefined,
};
