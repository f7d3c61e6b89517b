import type { Prospect } from "./prospect.ts";
import { sureQualityOf } from "./standing.ts";

/** Whether a model's quality surely clears the floor, as the strategies count it. */
export function clearsFloor({ prediction }: Pick<Prospect, "prediction">, floor: number): boolean {
  const { quality, lower, evidence } = prediction;
  return sureQualityOf(quality, lower, evidence) >= floor;
}
