import { readFileSync } from "node:fs";
import { decodeWeights, type Weights } from "./weights.ts";

/** What the router was taught in advance. The build lays it at the same place beside the bundle. */
export function readRouterWeights(): Weights {
  return decodeWeights(readFileSync(new URL("./weights.bin", import.meta.url)));
}
