import type { Candidate } from "@trunkline/core/route.ts";
import type { CallCandidatesInput } from "./call-candidates-input.ts";
import type { SkipReason } from "./no-answer.ts";

/** Each model once, in the order of the route. */
export function uniqueByModel(candidates: readonly Candidate[]): readonly Candidate[] {
  const byModel = new Map<string, Candidate>();
  for (const candidate of candidates)
    if (!byModel.has(candidate.model.id)) byModel.set(candidate.model.id, candidate);
  return [...byModel.values()];
}

/**
 * Why a candidate can't be called now, or undefined: then its slot is taken and its worst case is covered. The last resort
 * takes no slot, as another call may have it.
 */
export async function whySkip(
  { health, coverCost: secure, mayRetry }: Pick<CallCandidatesInput, "health" | "coverCost" | "mayRetry">,
  candidate: Candidate,
  { lastResort = false, isRetry = false }: { readonly lastResort?: boolean; readonly isRetry?: boolean },
): Promise<SkipReason | undefined> {
  const { id } = candidate.model;
  if (!lastResort && !health.admit(id)) return "not admitted";
  let obstacle: SkipReason | undefined = "not covered";
  try {
    if (await secure(candidate)) obstacle = isRetry && !mayRetry() ? "no retries left" : undefined;
  } finally {
    if (obstacle !== undefined && !lastResort) health.abandoned(id);
  }
  return obstacle;
}
