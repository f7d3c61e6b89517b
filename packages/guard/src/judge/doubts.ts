import { isRedactable, SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-category.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import type { SafetyPolicy } from "../policy/policy.ts";

/** The categories that are a matter of opinion. A value that is there is there. */
export const JUDGEABLE_CATEGORIES: readonly SafetyCategory[] = SAFETY_CATEGORIES.filter(
  (category) => !isRedactable(category),
);

/** From which score on a text is doubtful, and from which it is so no longer. */
export interface ScoreRange {
  readonly from: number;
  readonly to: number;
}

/** What counts as a doubt. */
export interface UncertaintyOptions {
  readonly categories: readonly SafetyCategory[];
  /** undefined: from where the policy reports up to where it refuses. */
  readonly band: ScoreRange | undefined;
}

/** Our own scores of what is in doubt. */
export type UncertainScores = Readonly<Partial<Record<SafetyCategory, number>>>;

/** What a verdict leaves in doubt; undefined: nothing, or it is refused in any case. */
export function findUncertainScores(
  policy: SafetyPolicy,
  verdict: Verdict,
  terms: UncertaintyOptions,
): UncertainScores | undefined {
  if (verdict.action === "refuse") return undefined;
  const doubts: Partial<Record<SafetyCategory, number>> = {};
  let isDoubtful = false;
  for (const category of terms.categories) {
    const score = verdict.categories[category] ?? 0;
    const scoreRange = terms.band ?? policyRange(policy, category);
    if (scoreRange === undefined || score < scoreRange.from || score >= scoreRange.to) continue;
    doubts[category] = score;
    isDoubtful = true;
  }
  return isDoubtful ? doubts : undefined;
}

/** Where nothing can be refused, nothing depends on the answer. */
function policyRange(policy: SafetyPolicy, category: SafetyCategory): ScoreRange | undefined {
  const { reportAt, refuseAt } = policy[category];
  return reportAt === undefined || refuseAt === undefined ? undefined : { from: reportAt, to: refuseAt };
}
