import { readFileSync } from "node:fs";
import { decodeRouterWeights, type RouterWeights } from "./router-weights.ts";

/** The trained weights. The build puts them at the same relative path beside the bundle. */
export function readRouterWeights(): RouterWeights {
  return decodeRouterWeights(readFileSync(new URL("./weights.bin", import.meta.url)));
}
