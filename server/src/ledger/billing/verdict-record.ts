import type { SafetyCategory } from "@trunkline/core/safety-policy.ts";
import { intendedAction, type Opinion, type Verdict } from "@trunkline/core/verdict.ts";

/** A verdict as it is stored; null: there is none. */
export function verdictRecord(verdict: Verdict | undefined) {
  if (verdict === undefined) return null;
  const categories = positiveScores(verdict.categories);
  const judge = verdict.opinions?.map(opinionOf);
  if (!verdict.flagged && verdict.redacted === undefined)
    return { action: verdict.action, categories, dry_run: isDryRun(verdict), judge };
  const { acted, decidedBy, spans, redacted, normalised } = verdict;
  return {
    action: intendedAction(verdict),
    categories,
    acted,
    // Kind and position only: the text itself may be private.
    spans: spans.length === 0 ? undefined : spans,
    redacted,
    normalised: normalised.length === 0 ? undefined : normalised,
    dry_run: isDryRun(verdict),
    policy: decidedBy,
    judge,
  };
}

function opinionOf({ result, why, doubts, said, ms, remembered }: Opinion) {
  return { result, why, doubts, said, ms: round(ms), remembered };
}

function isDryRun({ dryRun }: Verdict): true | undefined {
  return dryRun === undefined ? undefined : true;
}

/**
 * The scores above zero; the others are undefined, and so are left out. Written out, as an object that grows field by field
 * takes twice the room.
 */
function positiveScores(scores: Verdict["categories"]): Readonly<Record<SafetyCategory, number | undefined>> {
  return {
    injection: ifPositive(scores.injection),
    jailbreak: ifPositive(scores.jailbreak),
    unsafe_intent: ifPositive(scores.unsafe_intent),
    hate: ifPositive(scores.hate),
    harassment: ifPositive(scores.harassment),
    sexual: ifPositive(scores.sexual),
    sexual_minors: ifPositive(scores.sexual_minors),
    violence: ifPositive(scores.violence),
    self_harm: ifPositive(scores.self_harm),
    illicit: ifPositive(scores.illicit),
    pii: ifPositive(scores.pii),
    secret: ifPositive(scores.secret),
  };
}

function ifPositive(score: number | undefined): number | undefined {
  return score !== undefined && score > 0 ? score : undefined;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
