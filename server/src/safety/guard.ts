import type { Channel, SafetyAction, Span, Verdict } from "../domain/verdict.ts";
import { SAFETY_CATEGORIES } from "./categories.ts";
import type { Detector, Sighting } from "./detector.ts";
import { actionFor, type SafetyPolicy } from "./policy.ts";
import type { DoubtSettler, SecondOpinion } from "./second-opinion.ts";
import { worseOf } from "./verdict-tally.ts";

/** More places than this help nobody. */
const SPANS_MAX = 64;

/** A detector with a policy: what is seen in a text, and what to do about it. */
export interface Guard {
  /** From which the verdict's action follows, and with it the categories that a refusal names. */
  readonly policy: SafetyPolicy;
  /** Whether values that were taken out of a request are put back into its answer. */
  readonly restores: boolean;
  judge(text: string, channel: Channel): Verdict;
  /** Has somebody else decide what the verdicts on these texts leave in doubt; undefined: nobody is asked. */
  readonly settleDoubts?: DoubtSettler | undefined;
}

export function guardOf(
  detector: Detector,
  policy: SafetyPolicy,
  restores = true,
  secondOpinion?: SecondOpinion,
): Guard {
  const weigh = (sighting: Sighting) => verdictOn(sighting, policy);
  return {
    policy,
    restores,
    judge: (text, channel) => weigh(detector.examine(text, channel)),
    settleDoubts: secondOpinion?.under({ policy, weigh }),
  };
}

/** What a policy makes of a sighting. */
function verdictOn({ scores, findings, normalised }: Sighting, policy: SafetyPolicy): Verdict {
  const action = SAFETY_CATEGORIES.reduce<SafetyAction>(
    (worst, category) => worseOf(worst, actionFor(policy, category, scores[category])),
    "allow",
  );
  return {
    flagged: action !== "allow",
    action,
    categories: scores,
    spans: action === "allow" ? [] : spansOf(policy, scores, findings),
    normalised,
  };
}

/** The places of what the policy acts on. */
function spansOf(policy: SafetyPolicy, scores: Sighting["scores"], findings: Sighting["findings"]): Span[] {
  const spans = new Map<string, Span>();
  for (const { category, kind, score, start, end } of findings) {
    // A value stands for itself; a sign is part of what makes the score.
    if (actionFor(policy, category, kind === undefined ? scores[category] : score) !== "allow")
      spans.set(`${category} ${start} ${end}`, {
        category,
        ...(kind === undefined ? {} : { kind }),
        start,
        end,
      });
  }
  return [...spans.values()].sort((a, b) => a.start - b.start || a.end - b.end).slice(0, SPANS_MAX);
}
