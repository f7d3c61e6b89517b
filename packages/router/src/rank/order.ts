import type { Exploration } from "@trunkline/core/route.ts";
import type { EligibleModel } from "../candidates/prospect.ts";

/** The models of one tier in the order in which they are tried, and how the first of them came by its place. */
export interface RankedTier {
  readonly eligibleModels: readonly EligibleModel[];
  /** Whom the strategy ranked first: others are measured by it. */
  readonly best: EligibleModel | undefined;
  /** How many drew for the first place; they are the first of them all. 1: nobody but the best. */
  readonly tiedCount: number;
  /** How likely the first place was to go to whom it went; 1: nothing was left to chance. */
  readonly propensity: number;
  /** `provider/name` of the model that the session stays with; it is the first. */
  readonly stickyTo?: string | undefined;
  readonly explored?: Exploration | undefined;
}

/** The same with one of them before all others. */
export function moveToFront(
  eligibleModels: readonly EligibleModel[],
  place: number,
): readonly EligibleModel[] {
  const moved = eligibleModels[place];
  if (moved === undefined || place === 0) return eligibleModels;
  return [moved, ...eligibleModels.slice(0, place), ...eligibleModels.slice(place + 1)];
}
