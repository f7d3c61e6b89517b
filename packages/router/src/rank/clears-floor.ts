import type { EligibleModel } from "../candidates/prospect.ts";
import { claimedQualityOfModel } from "../predict/predict-quality.ts";
import { sureQualityOf } from "./standing.ts";

type PredictedModel = Pick<EligibleModel, "model" | "fit" | "prediction">;

/** The quality of a model that can be counted on. What is merely claimed is not moved by how hard the request is. */
export function sureQualityOfModel({ model, fit, prediction: { lower, evidence } }: PredictedModel): number {
  return sureQualityOf(claimedQualityOfModel(model, fit), lower, evidence);
}

/** Whether a model's quality surely clears the floor, as the strategies count it. */
export function clearsFloor(prospect: PredictedModel, floor: number): boolean {
  return sureQualityOfModel(prospect) >= floor;
}
