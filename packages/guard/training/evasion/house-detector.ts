import { readSafetyModel } from "../../src/classifier/bundled-model.ts";
import { createTrainedDetector } from "../../src/classifier/trained-detector.ts";
import type { Detector } from "../../src/detector.ts";

/** The detector that the house ships with: what the battery tries to get past. */
export const shippedDetector: Detector = createTrainedDetector(readSafetyModel());
