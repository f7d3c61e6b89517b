import type { Candidate, Route } from "@trunkline/core/route.ts";

/** A route in the order in which a cascade goes through it: tier by tier, within each from the cheapest on. */
export function inCascadeOrder(route: Route): Route {
  const [first, ...others] = route.candidates;
  const [cheapest = first, ...dearer] = [first, ...others].sort(compareInCascade);
  return { ...route, candidates: [cheapest, ...dearer] };
}

function compareInCascade(one: Candidate, other: Candidate): number {
  return (
    one.tier - other.tier ||
    Number(other.isWanted) - Number(one.isWanted) ||
    (one.quote.estimate === other.quote.estimate ? 0 : one.quote.estimate < other.quote.estimate ? -1 : 1) ||
    other.quality - one.quality
  );
}

/**
 * Where a cascade goes on from a step that failed: to the next one that is predicted to be better. A tier without a better
 * one is left for the next tier; in the last tier, the next dearer one has to do.
 */
export function nextCascadeCandidate(
  candidates: readonly Candidate[],
  last: Candidate,
): Candidate | undefined {
  const later = candidates.slice(candidates.indexOf(last) + 1);
  const better = later.find(({ tier, quality }) => tier === last.tier && quality > last.quality);
  return better ?? later.find(({ tier }) => tier > last.tier) ?? later[0];
}
