import type { Inference } from "../domain/inference.ts";
import type { Model } from "../domain/model.ts";
import type { Prediction, Reading } from "../domain/prediction.ts";
import type { Fit } from "./fit-task.ts";

/** Reads requests and says how good each model's answer will be, before anybody is called. */
export interface Predictor {
  read(inference: Inference): Reading;
  predict(model: Model, reading: Reading, fit: Fit, accountId: string): Prediction;
  /** How long this model's answer usually is, as far as outcomes say; undefined: nothing is known of it. */
  expectedOutputTokens(model: Model, reading: Reading): number | undefined;
}
