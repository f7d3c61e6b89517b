import type { Prospect } from "../candidates/prospect.ts";
import { expectedAttempts } from "./standing.ts";

/** Neither failing nor left alone: nothing is sent to trouble by chance. */
export function isSound({ health }: Pick<Prospect, "health">): boolean {
  return health.available && expectedAttempts(health.errorRate) === 1;
}
