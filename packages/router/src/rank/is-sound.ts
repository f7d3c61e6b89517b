import type { EligibleModel } from "../candidates/prospect.ts";
import { expectedAttempts } from "./standing.ts";

/** Neither failing nor left alone: nothing is sent to trouble by chance. */
export function isHealthy({ health }: Pick<EligibleModel, "health">): boolean {
  return health.available && expectedAttempts(health.errorRate) === 1;
}
