import { readFileSync } from "node:fs";
import { decodeRouterWeights, type RouterWeights } from "./router-weights.ts";

let weights: RouterWeights | undefined;

/** The trained weights, read once per process. The build puts them at the same relative path beside the bundle. */
export function readRouterWeights(): RouterWeights {
  weights ??= decodeRouterWeights(readFileSync(new URL("./weights.bin", import.meta.url)));
  return weights;
}
