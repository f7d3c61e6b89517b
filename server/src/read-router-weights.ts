import { readFileSync } from "node:fs";
import { decodeWeights, type Weights } from "./route/predict/weights.ts";

/** What the router was taught in advance. The build lays it at the same place beside the bundle. */
export function readRouterWeights(): Weights {
  return decodeWeights(readFileSync(new URL("./route/predict/weights.bin", import.meta.url)));
}
