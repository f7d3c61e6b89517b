import type { Prospect } from "../candidates/prospect.ts";
import { predictQuality } from "../predict/predict-quality.ts";
import { sureQualityOf } from "./standing.ts";

type Predicted = Pick<Prospect, "model" | "fit" | "prediction">;

/** The quality of a model that can be counted on. What is merely claimed is not moved by how hard the request is. */
export function countedOn({ model, fit, prediction: { lower, evidence } }: Predicted): number {
  return sureQualityOf(predictQuality(model, fit), lower, evidence);
}

/** Whether a model's quality surely clears the floor, as the strategies count it. */
export function clearsFloor(prospect: Predicted, floor: number): boolean {
  return countedOn(prospect) >= floor;
}
