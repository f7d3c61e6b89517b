import { readFileSync } from "node:fs";
import { decodeRouterWeights, type RouterWeights } from "./router-weights.ts";

/** What the router was taught in advance. The build lays it at the same place beside the bundle. */
export function readRouterWeights(): RouterWeights {
  return decodeRouterWeights(readFileSync(new URL("./weights.bin", import.meta.url)));
}
