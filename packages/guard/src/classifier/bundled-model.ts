import { readFileSync } from "node:fs";
import { decodeWeights, SafetyModel } from "./safety-model.ts";

/** The trained safety model. The build copies the weights to the same place beside the bundle. */
export function readSafetyModel(): SafetyModel {
  return new SafetyModel(decodeWeights(readFileSync(new URL("./weights.bin", import.meta.url))));
}
