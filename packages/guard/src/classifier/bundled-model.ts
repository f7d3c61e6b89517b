import { readFileSync } from "node:fs";
import { decodeWeights, SafetyModel } from "./safety-model.ts";

/** What the safety check was taught. The build lays it at the same place beside the bundle. */
export function readSafetyModel(): SafetyModel {
  return new SafetyModel(decodeWeights(readFileSync(new URL("./weights.bin", import.meta.url))));
}
