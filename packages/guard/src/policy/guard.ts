import {
  REDACTABLE_CATEGORIES,
  SAFETY_CATEGORIES,
  type SafetyCategory,
} from "@trunkline/core/safety-category.ts";
import type { Channel, SafetyAction, SafetyLevel, Span, Verdict } from "@trunkline/core/verdict.ts";
import { wholeBefore } from "@trunkline/core/whole-characters.ts";
import { type Detector, type Follower, type News, type Sighting, stepsOf } from "../detector.ts";
import { searchPrivateData } from "../private-data/private-data.ts";
import type { PrivateDatum } from "../private-data/private-value.ts";
import type { Steps } from "../resumable.ts";
import { actionFor, reportingAlone, type SafetyPolicy } from "./policy.ts";
import type { DoubtSettler, SecondOpinion } from "./second-opinion.ts";
import { noScores, worseOf } from "./verdict-tally.ts";

/** More places than this help nobody. */
const SPANS_MAX = 64;

/** A detector with a policy: what is seen in a text, and what to do about it. */
export interface Guard {
  /** From which the verdict's action follows, and with it the categories that a refusal names. */
  readonly policy: SafetyPolicy;
  /** Whether values that were taken out of a request are put back into its answer. */
  readonly restores: boolean;
  judge(text: string, channel: Channel): Verdict;
  /** The same, step by step. */
  judging(text: string, channel: Channel): Steps<Verdict>;
  /** Those who read an answer while it grows. */
  follow(): readonly Follower[];
  /** What to do about something that was found in an answer. */
  weigh(news: News): Verdict;
  /** Whether the policy takes anything out at all. */
  readonly redacts: boolean;
  /** The values in a text that the policy takes out, in order, found step by step. */
  readonly valuesIn: (text: string) => Steps<readonly PrivateDatum[]>;
  /** Has somebody else decide what the verdicts on these texts leave in doubt; undefined: nobody is asked. */
  readonly settleDoubts?: DoubtSettler | undefined;
}

/** What can be said of a guard beside its policy. */
export interface GuardTerms {
  readonly restores?: boolean;
  /** Nothing is done about what is found, and the verdicts say what would have been. */
  readonly dryRun?: boolean;
  /** Whose rules each category's marks are. */
  readonly decidedBy?: Readonly<Record<SafetyCategory, SafetyLevel>>;
  /** Blanks what stays in a text whatever the policy is. */
  readonly blank?: ((text: string) => string) | undefined;
  /** Who is asked about what is doubtful. */
  readonly secondOpinion?: SecondOpinion | undefined;
}

export function guardOf(detector: Detector, policy: SafetyPolicy, terms: GuardTerms = {}): Guard {
  const { restores = true, dryRun = false, decidedBy, secondOpinion, blank = (text) => text } = terms;
  const enforced = dryRun ? reportingAlone(policy) : policy;
  const redacts = REDACTABLE_CATEGORIES.some((category) => enforced[category].redactAt !== undefined);
  const judged = (sighting: Sighting) => {
    const verdict = verdictOn(sighting, policy, decidedBy);
    return dryRun ? inDryRun(verdict, sighting, enforced) : verdict;
  };
  return {
    policy: enforced,
    restores,
    judge: (text, channel) => judged(betweenCharacters(detector.examine(text, channel), text)),
    *judging(text, channel) {
      return judged(betweenCharacters(yield* stepsOf(detector, text, channel), text));
    },
    follow: () => detector.follow(),
    weigh: (news) => judged({ ...news, scores: strongestOf(news) }),
    settleDoubts: secondOpinion?.under({ policy: enforced, weigh: judged }),
    redacts,
    *valuesIn(text) {
      if (!redacts) return [];
      const found = yield* searchPrivateData(blank(text));
      return found.filter(({ category, weight }) => actionFor(enforced, category, weight) === "redact");
    },
  };
}

/** Some count in halves of characters; what is told of places does not. */
function betweenCharacters(sighting: Sighting, text: string): Sighting {
  const findings = sighting.findings.map((finding) => ({
    ...finding,
    start: wholeBefore(text, finding.start),
    end: wholeBefore(text, finding.end),
  }));
  return { ...sighting, findings };
}

function strongestOf({ findings }: News): Sighting["scores"] {
  const scores = noScores();
  for (const { category, score } of findings)
    scores[category] = Math.max(scores[category], Math.round(score * 1e5) / 1e5);
  return scores;
}

/** What a policy makes of a sighting. */
function verdictOn(
  { scores, findings, normalised }: Sighting,
  policy: SafetyPolicy,
  decidedBy: GuardTerms["decidedBy"],
): Verdict {
  const acted: Record<string, SafetyAction> = {};
  let action: SafetyAction = "allow";
  let decisive: SafetyCategory | undefined;
  for (const category of SAFETY_CATEGORIES) {
    const called = actionFor(policy, category, scores[category]);
    if (called === "allow") continue;
    acted[category] = called;
    if (worseOf(action, called) === action) continue;
    action = called;
    decisive = category;
  }
  if (decisive === undefined) return { flagged: false, action, categories: scores, spans: [], normalised };
  return {
    flagged: true,
    action,
    categories: scores,
    acted,
    ...(decidedBy === undefined ? {} : { decidedBy: decidedBy[decisive] }),
    spans: spansOf(policy, scores, findings),
    normalised,
  };
}

/** What a dry run makes of it: what is done follows from the policy that is enforced, and what is told from the one that is meant. */
function inDryRun(meant: Verdict, { scores }: Sighting, enforced: SafetyPolicy): Verdict {
  const action = SAFETY_CATEGORIES.reduce<SafetyAction>(
    (worst, category) => worseOf(worst, actionFor(enforced, category, scores[category])),
    "allow",
  );
  return action === "refuse" ? meant : { ...meant, action, dryRun: meant.action };
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
