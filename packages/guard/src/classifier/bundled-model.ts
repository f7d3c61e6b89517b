import { readFileSync } from "node:fs";
import { decodeWeights, SafetyModel } from "./safety-model.ts";

let model: SafetyModel | undefined;

/** The trained safety model, read once in a process. The build copies the weights to the same place beside the bundle. */
export function readSafetyModel(): SafetyModel {
  model ??= new SafetyModel(decodeWeights(readFileSync(new URL("./weights.bin", import.meta.url))));
  return model;
}
