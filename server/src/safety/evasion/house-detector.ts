import type { Detector } from "../detector.ts";
import { ruleDetector } from "../rules/rule-detector.ts";

/** The detector that the house ships with: what the battery tries to get past. */
export const houseDetector: Detector = ruleDetector;
