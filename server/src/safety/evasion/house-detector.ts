import { readSafetyModel } from "../../read-safety-model.ts";
import type { Detector } from "../detector.ts";
import { trainedDetector } from "../trained-detector.ts";

/** The detector that the house ships with: what the battery tries to get past. */
export const houseDetector: Detector = trainedDetector(readSafetyModel());
