import type { Channel, SafetyAction, Span, Verdict } from "../domain/verdict.ts";
import { REDACTABLE_CATEGORIES, SAFETY_CATEGORIES } from "./categories.ts";
import type { Detector, Sighting } from "./detector.ts";
import { actionFor, type SafetyPolicy } from "./policy.ts";
import { findPrivateData } from "./private/private-data.ts";
import type { PrivateDatum } from "./private/private-datum.ts";
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
  /** Whether the policy takes anything out at all. */
  readonly redacts: boolean;
  /** The values in a text that the policy takes out, in order. */
  valuesIn(text: string): readonly PrivateDatum[];
}

export function guardOf(detector: Detector, policy: SafetyPolicy, restores = true): Guard {
  const redacts = REDACTABLE_CATEGORIES.some((category) => policy[category].redactAt !== undefined);
  return {
    policy,
    restores,
    judge: (text, channel) => verdictOn(detector.examine(text, channel), policy),
    redacts,
    valuesIn: (text) =>
      redacts
        ? findPrivateData(text).filter(
            ({ category, weight }) => actionFor(policy, category, weight) === "redact",
          )
        : [],
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
