import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Prediction, PromptFeatures } from "@trunkline/core/prediction.ts";
import type { Fit } from "./fit-task.ts";

/** Reads requests and says how good each model's answer will be, before anybody is called. */
export interface Predictor {
  extractFeatures(inference: Inference): PromptFeatures;
  predict(model: Model, promptFeatures: PromptFeatures, fit: Fit, accountId: string): Prediction;
  /** How long this model's answer usually is, as far as outcomes say; undefined: nothing is known of it. */
  expectedOutputTokens(model: Model, promptFeatures: PromptFeatures): number | undefined;
}
