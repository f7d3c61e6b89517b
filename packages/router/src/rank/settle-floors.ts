import type { Route } from "@trunkline/core/route.ts";
import {
  expectedAttempts,
  QUALITY_TIE_MARGIN,
  type Rankable,
  type RankingCriteria,
  type RoutingPolicy,
} from "./strategies.ts";

/**
 * The part of the best quality that the service's own floor asks for at most. Where the best can do 0.6, a twentieth of it
 * is the 0.03 by which near-equals differ. The floor comes down from a little above itself on, and in proportion, so that a
 * harder prompt leaves fewer models at the floor and never brings back a weaker one.
 */
const SHARE_OF_BEST = 0.95;

/** `speed` leaves out a model with less than this share of the best quality within this multiple of the fastest time. */
const SPEED_TIME_FACTOR = 5;
const SPEED_QUALITY_SHARE = 0.5;

/** The candidates of one tier that compete for its first place: those that list the client's task word, where there are some. */
function competing<C extends Rankable>(candidates: readonly C[]): readonly C[] {
  return candidates.some(({ isWanted }) => isWanted) ? candidates.filter(({ isWanted }) => isWanted) : candidates;
}

/** What the strategies ask of these candidates: a floor that none of them reaches comes down to what they can do. */
export function settleFloors(
  candidates: readonly Rankable[],
  policy: Omit<RoutingPolicy, "chosenBy">,
): RankingCriteria {
  const rivals = competing(candidates);
  let best = 0;
  for (const { quality } of rivals) if (quality > best) best = quality;
  const qualityFloor = lowerFloor(policy, best);
  const loweredFloor: Route["loweredFloor"] =
    qualityFloor < policy.qualityFloor ? { asked: policy.qualityFloor, best, setBy: policy.floorSetBy } : undefined;
  const { strategy, weights } = policy;
  return {
    strategy,
    weights,
    qualityFloor,
    loweredFloor,
    speedFloor: strategy === "speed-optimized" ? speedFloorOf(rivals) : 0,
  };
}

/**
 * An account that sets a floor wants what clears it, so that its floor holds as long as one model does; else the best comes
 * first. A request's own floor is a bound, which all candidates keep.
 */
function lowerFloor(
  { qualityFloor, floorSetBy }: Pick<RoutingPolicy, "qualityFloor" | "floorSetBy">,
  best: number,
): number {
  switch (floorSetBy) {
    case "request":
      return qualityFloor;
    case "account":
      return best >= qualityFloor ? qualityFloor : Math.max(0, best - QUALITY_TIE_MARGIN);
    case "service":
      return Math.min(qualityFloor, SHARE_OF_BEST * best);
  }
}

function speedFloorOf(candidates: readonly Rankable[]): number {
  const timeOf = ({ latencyMs, errorRate }: Rankable) => latencyMs * expectedAttempts(errorRate);
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) least = Math.min(least, timeOf(candidate));
  let best = 0;
  for (const candidate of candidates) {
    if (timeOf(candidate) <= least * SPEED_TIME_FACTOR && candidate.quality > best) best = candidate.quality;
  }
  return best * SPEED_QUALITY_SHARE;
}

/** Why the floor is lower than it was set, as a part of a sentence. */
export function describeLoweredFloor({ asked, best, setBy }: NonNullable<Route["loweredFloor"]>): string {
  const floor = asked.toFixed(2);
  if (setBy === "account") return `none clears the floor of ${floor}, so the best comes first`;
  const reach = best < asked ? "none clears" : "the best hardly clears";
  return `${reach} the floor of ${floor}, so it is ${(SHARE_OF_BEST * best).toFixed(2)} here, ${SHARE_OF_BEST * 100} % of the best quality`;
}
