import { readSafetyModel } from "../../src/classifier/bundled-model.ts";
import { trainedDetector } from "../../src/classifier/trained-detector.ts";
import type { Detector } from "../../src/detector.ts";

/** The detector that the house ships with: what the battery tries to get past. */
export const houseDetector: Detector = trainedDetector(readSafetyModel());
