import { readFileSync } from "node:fs";
import { SafetyModel } from "./safety/model/safety-model.ts";
import { decodeWeights } from "./safety/model/weights.ts";

/** What the safety check was taught. The build lays it at the same place beside the bundle. */
export function readSafetyModel(): SafetyModel {
  return new SafetyModel(decodeWeights(readFileSync(new URL("./safety/model/weights.bin", import.meta.url))));
}
