import type { EligibleModel } from "../candidates/prospect.ts";
import { claimedLatencyMs } from "../predict/expected-time.ts";

/** From so many calls on, what was measured of an endpoint can be held against another's. */
const MIN_MEASURED_CALLS = 20;

/**
 * Whether one model takes at most so many times as long as another. Claims are compared with claims until both are
 * measured: otherwise whoever was called first would always look faster than one that nobody ever called.
 */
export function isWithinTimeFactor(one: EligibleModel, other: EligibleModel, factor: number): boolean {
  if (one.health.calls >= MIN_MEASURED_CALLS && other.health.calls >= MIN_MEASURED_CALLS)
    return one.time.wholeMs <= other.time.wholeMs * factor;
  return claimedLatencyMs(one.model) <= claimedLatencyMs(other.model) * factor;
}
