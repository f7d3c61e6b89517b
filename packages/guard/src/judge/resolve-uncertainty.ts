import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { Opinion, Verdict } from "@trunkline/core/verdict.ts";
import type { Finding } from "../detector.ts";
import type { PolicyEvaluator } from "../policy/guard.ts";
import { actionFor, type SafetyPolicy } from "../policy/policy.ts";
import { zeroScores } from "../policy/scores.ts";
import { moreSevere } from "../policy/verdict-tally.ts";

/** The range of uncertain scores, end exclusive. */
export interface ScoreRange {
  readonly from: number;
  readonly to: number;
}

/** What counts as uncertain. */
export interface UncertaintyOptions {
  readonly categories: readonly SafetyCategory[];
  /** undefined: from the policy's report threshold to its refusal threshold. */
  readonly band: ScoreRange | undefined;
}

/** Our own scores of the uncertain categories. */
export type UncertainScores = Readonly<Partial<Record<SafetyCategory, number>>>;

/** The scores that a verdict leaves uncertain; undefined if there are none or the text is refused anyway. */
export function findUncertainScores(
  policy: SafetyPolicy,
  verdict: Verdict,
  options: UncertaintyOptions,
): UncertainScores | undefined {
  if (verdict.action === "refuse") return undefined;
  const doubts: Partial<Record<SafetyCategory, number>> = {};
  let isDoubtful = false;
  for (const category of options.categories) {
    const score = verdict.categories[category] ?? 0;
    const scoreRange = options.band ?? policyRange(policy, category);
    if (scoreRange === undefined || score < scoreRange.from || score >= scoreRange.to) continue;
    doubts[category] = score;
    isDoubtful = true;
  }
  return isDoubtful ? doubts : undefined;
}

/** If the policy cannot refuse, the response of a judge would change nothing. */
function policyRange(policy: SafetyPolicy, category: SafetyCategory): ScoreRange | undefined {
  const { reportAt, refuseAt } = policy[category];
  return reportAt === undefined || refuseAt === undefined ? undefined : { from: reportAt, to: refuseAt };
}

type Scores = Record<SafetyCategory, number>;

/** The scores of a judge, and whether it saw enough to lower ours. */
interface JudgeScores {
  readonly scores: Readonly<Record<string, number>>;
  readonly mayLower: boolean;
}

/** Replaces the uncertain scores of a verdict by the judge's. All other scores stay. */
export function applyJudgeResponse(
  policyEvaluator: PolicyEvaluator,
  verdict: Verdict,
  doubts: UncertainScores,
  { scores, mayLower }: JudgeScores,
): { readonly verdict: Verdict; readonly result: Opinion["result"] } {
  const newScores = scoresOf(verdict);
  let isRaised = false;
  let isLowered = false;
  for (const category of categoriesOf(doubts)) {
    const ownScore = doubts[category] ?? 0;
    const judgeScore = scores[category];
    if (judgeScore === undefined) continue;
    // A judge may never lower this category.
    if (judgeScore < ownScore && (!mayLower || category === "sexual_minors")) continue;
    newScores[category] = judgeScore;
    const before = actionFor(policyEvaluator.policy, category, ownScore);
    const after = actionFor(policyEvaluator.policy, category, judgeScore);
    if (before === after) continue;
    if (moreSevere(before, after) === after) isRaised = true;
    else isLowered = true;
  }
  const result = isRaised ? "raised" : isLowered ? "lowered" : "upheld";
  return { verdict: verdictWithScores(policyEvaluator, verdict, newScores), result };
}

/** The verdict without a response when failures are treated as unsafe: everything that can be refused is. */
export function applyJudgeFailure(
  policyEvaluator: PolicyEvaluator,
  verdict: Verdict,
  doubts: UncertainScores,
): Verdict {
  const newScores = scoresOf(verdict);
  for (const category of categoriesOf(doubts)) {
    const ownScore = doubts[category] ?? 0;
    newScores[category] = Math.max(ownScore, policyEvaluator.policy[category].refuseAt ?? ownScore);
  }
  return verdictWithScores(policyEvaluator, verdict, newScores);
}

/** Applies the policy to the same findings with other scores. */
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
