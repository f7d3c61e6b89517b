import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Prediction, Reading } from "@trunkline/core/prediction.ts";
import type { Fit } from "./fit-task.ts";

/** Reads requests and says how good each model's answer will be, before anybody is called. */
export interface Predictor {
  read(inference: Inference): Reading;
  predict(model: Model, reading: Reading, fit: Fit, accountId: string): Prediction;
  /** How long this model's answer usually is, as far as outcomes say; undefined: nothing is known of it. */
  expectedOutputTokens(model: Model, reading: Reading): number | undefined;
}
