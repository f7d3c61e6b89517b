import type { Explored } from "@trunkline/core/route.ts";
import type { Prospect } from "../candidates/prospect.ts";

/** The models of one tier in the order in which they are tried, and how the first of them came by its place. */
export interface Order {
  readonly prospects: readonly Prospect[];
  /** Whom the strategy ranked first: others are measured by it. */
  readonly best: Prospect | undefined;
  /** How many drew for the first place; they are the first of them all. 1: nobody but the best. */
  readonly equals: number;
  /** How likely the first place was to go to whom it went; 1: nothing was left to chance. */
  readonly propensity: number;
  /** `provider/name` of the model that the session stays with; it is the first. */
  readonly stickyTo?: string | undefined;
  readonly explored?: Explored | undefined;
}

/** The same with one of them before all others. */
export function moveFirst(prospects: readonly Prospect[], place: number): readonly Prospect[] {
  const moved = prospects[place];
  if (moved === undefined || place === 0) return prospects;
  return [moved, ...prospects.slice(0, place), ...prospects.slice(place + 1)];
}
