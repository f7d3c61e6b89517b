import { isRedactable, SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { Opinion, Verdict } from "@trunkline/core/verdict.ts";
import type { Finding } from "../detector.ts";
import type { PolicyEvaluator } from "../policy/guard.ts";
import { actionFor, type SafetyPolicy } from "../policy/policy.ts";
import { moreSevere, zeroScores } from "../policy/verdict-tally.ts";

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

type Scores = Record<SafetyCategory, number>;

/** What a judge said, and whether it has seen enough to be believed where it finds less than we did. */
interface JudgeScores {
  readonly scores: Readonly<Record<string, number>>;
  readonly mayLower: boolean;
}

/** The verdict with the judge's scores in place of those that were in doubt. All others stay as they are. */
export function applyJudgeResponse(
  policyEvaluator: PolicyEvaluator,
  verdict: Verdict,
  doubts: UncertainScores,
  { scores, mayLower }: JudgeScores,
): { readonly verdict: Verdict; readonly result: Opinion["result"] } {
  const settled = scoresOf(verdict);
  let isRaised = false;
  let isLowered = false;
  for (const category of categoriesOf(doubts)) {
    const own = doubts[category] ?? 0;
    const said = scores[category];
    if (said === undefined) continue;
    // Nobody is talked out of this one.
    if (said < own && (!mayLower || category === "sexual_minors")) continue;
    settled[category] = said;
    const before = actionFor(policyEvaluator.policy, category, own);
    const after = actionFor(policyEvaluator.policy, category, said);
    if (before === after) continue;
    if (moreSevere(before, after) === after) isRaised = true;
    else isLowered = true;
  }
  const result = isRaised ? "raised" : isLowered ? "lowered" : "upheld";
  return { verdict: verdictWithScores(policyEvaluator, verdict, settled), result };
}

/** The verdict where nobody answers and no doubt may pass: whatever can be refused is. */
export function applyJudgeFailure(
  policyEvaluator: PolicyEvaluator,
  verdict: Verdict,
  doubts: UncertainScores,
): Verdict {
  const settled = scoresOf(verdict);
  for (const category of categoriesOf(doubts)) {
    const own = doubts[category] ?? 0;
    settled[category] = Math.max(own, policyEvaluator.policy[category].refuseAt ?? own);
  }
  return verdictWithScores(policyEvaluator, verdict, settled);
}

/** What is made of the same text, seen with other scores. */
function verdictWithScores(policyEvaluator: PolicyEvaluator, { spans, normalised }: Verdict, scores: Scores): Verdict {
  const findings = spans.flatMap(({ category: name, ...place }): Finding[] => {
    const category = SAFETY_CATEGORIES.find((known) => known === name);
    return category === undefined ? [] : [{ ...place, category, score: scores[category] }];
  });
  return policyEvaluator.applyPolicy({ scores, findings, normalised });
}

function scoresOf({ categories }: Verdict): Scores {
  const scores = zeroScores();
  for (const category of SAFETY_CATEGORIES) scores[category] = categories[category] ?? 0;
  return scores;
}

function categoriesOf(doubts: UncertainScores): SafetyCategory[] {
  return SAFETY_CATEGORIES.filter((category) => doubts[category] !== undefined);
}
