import { metadataPredictor } from "./route/metadata-predictor.ts";

/** The part of the house that knows how models do at what they are asked. `build-house.ts` alone calls it. */
export function buildRouting() {
  return { predictor: metadataPredictor };
}
