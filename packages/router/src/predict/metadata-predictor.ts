import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Prediction, PromptFeatures } from "@trunkline/core/prediction.ts";
import type { Fit } from "./fit-task.ts";
import { claimedQualityOfModel } from "./predict-quality.ts";
import type { Predictor } from "./predictor.ts";

/** How far below its claim a model may be of which nothing but the claim is known. */
const CLAIM_MARGIN = 0.15;

/** Predicts by what providers say of their models alone. */
export const metadataPredictor: Predictor = {
  extractFeatures: ({ task }: Inference): PromptFeatures => ({
    domain: task.kind,
    family: task.kind,
    confidence: 0,
    difficulty: 0.5,
    shares: [],
  }),
  predict(model: Model, _reading: PromptFeatures, fit: Fit): Prediction {
    const quality = claimedQualityOfModel(model, fit);
    return { quality, lower: Math.max(0, quality - CLAIM_MARGIN), evidence: 0 };
  },
  expectedOutputTokens: () => undefined,
};
