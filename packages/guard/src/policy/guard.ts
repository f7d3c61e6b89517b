import { codePointBoundary } from "@trunkline/core/code-points.ts";
import { REDACTABLE_CATEGORIES, SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { Channel, SafetyAction, SafetyLevel, Span, Verdict } from "@trunkline/core/verdict.ts";
import {
  type Detection,
  type Detector,
  detectResumably,
  type StreamDetection,
  type StreamDetector,
} from "../detector.ts";
import { findPrivateDataResumable } from "../private-data/find-private-data.ts";
import type { PrivateValue } from "../private-data/private-value.ts";
import type { Resumable } from "../resumable.ts";
import { actionFor, reportOnlyPolicy, type SafetyPolicy } from "./policy.ts";
import { moreSevere, zeroScores } from "./verdict-tally.ts";

/** More places than this help nobody. */
const SPANS_MAX = 64;

/** A detector with a policy: what is seen in a text, and what to do about it. */
export interface Guard {
  /** From which the verdict's action follows, and with it the categories that a refusal names. */
  readonly policy: SafetyPolicy;
  /** Whether values that were taken out of a request are put back into its answer. */
  readonly restoresRedactions: boolean;
  evaluate(text: string, channel: Channel): Verdict;
  /** The same, step by step. */
  evaluateResumable(text: string, channel: Channel): Resumable<Verdict>;
  /** Those who read an answer while it grows. */
  createStreamDetectors(): readonly StreamDetector[];
  /** What to do about something that was found in an answer. */
  applyPolicy(streamDetection: StreamDetection): Verdict;
  /** Whether the policy takes anything out at all. */
  readonly redacts: boolean;
  /** The values in a text that the policy takes out, in order, found step by step. */
  readonly findValuesToRedact: (text: string) => Resumable<readonly PrivateValue[]>;
  /** Has somebody else decide what the verdicts on these texts leave in doubt; undefined: nobody is asked. */
  readonly resolveUncertainty?: UncertaintyResolver | undefined;
}

/** What can be said of a guard beside its policy. */
export interface GuardOptions {
  readonly restoresRedactions?: boolean;
  /** Nothing is done about what is found, and the verdicts say what would have been. */
  readonly dryRun?: boolean;
  /** Whose rules each category's marks are. */
  readonly decidedBy?: Readonly<Record<SafetyCategory, SafetyLevel>>;
  /** Blanks what stays in a text whatever the policy is. */
  readonly blank?: ((text: string) => string) | undefined;
  /** Who is asked about what is doubtful. */
  readonly secondOpinion?: SecondOpinion | undefined;
}

export function createGuard(detector: Detector, policy: SafetyPolicy, terms: GuardOptions = {}): Guard {
  const {
    restoresRedactions: restores = true,
    dryRun = false,
    decidedBy,
    secondOpinion,
    blank = (text) => text,
  } = terms;
  const enforced = dryRun ? reportOnlyPolicy(policy) : policy;
  const redacts = REDACTABLE_CATEGORIES.some((category) => enforced[category].redactAt !== undefined);
  const judged = (detection: Detection) => {
    const verdict = verdictFor(detection, policy, decidedBy);
    return dryRun ? dryRunVerdict(verdict, detection, enforced) : verdict;
  };
  return {
    policy: enforced,
    restoresRedactions: restores,
    evaluate: (text, channel) => judged(atCharacterBoundaries(detector.detect(text, channel), text)),
    *evaluateResumable(text, channel) {
      return judged(atCharacterBoundaries(yield* detectResumably(detector, text, channel), text));
    },
    createStreamDetectors: () => detector.createStreamDetectors(),
    applyPolicy: (streamDetection) => judged({ ...streamDetection, scores: highestScores(streamDetection) }),
    resolveUncertainty: secondOpinion?.resolverFor({ policy: enforced, applyPolicy: judged }),
    redacts,
    *findValuesToRedact(text) {
      if (!redacts) return [];
      const found = yield* findPrivateDataResumable(blank(text));
      return found.filter(({ category, weight }) => actionFor(enforced, category, weight) === "redact");
    },
  };
}

/** Some count in halves of characters; what is told of places does not. */
function atCharacterBoundaries(detection: Detection, text: string): Detection {
  const findings = detection.findings.map((finding) => ({
    ...finding,
    start: codePointBoundary(text, finding.start),
    end: codePointBoundary(text, finding.end),
  }));
  return { ...detection, findings };
}

function highestScores({ findings }: StreamDetection): Detection["scores"] {
  const scores = zeroScores();
  for (const { category, score } of findings)
    scores[category] = Math.max(scores[category], Math.round(score * 1e5) / 1e5);
  return scores;
}

/** What a policy makes of a sighting. */
function verdictFor(
  { scores, findings, normalised }: Detection,
  policy: SafetyPolicy,
  decidedBy: GuardOptions["decidedBy"],
): Verdict {
  const acted: Record<string, SafetyAction> = {};
  let action: SafetyAction = "allow";
  let decisive: SafetyCategory | undefined;
  for (const category of SAFETY_CATEGORIES) {
    const called = actionFor(policy, category, scores[category]);
    if (called === "allow") continue;
    acted[category] = called;
    if (moreSevere(action, called) === action) continue;
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
    spans: spansToReport(policy, scores, findings),
    normalised,
  };
}

/** What a dry run makes of it: what is done follows from the policy that is enforced, and what is told from the one that is meant. */
function dryRunVerdict(meant: Verdict, { scores }: Detection, enforced: SafetyPolicy): Verdict {
  const action = SAFETY_CATEGORIES.reduce<SafetyAction>(
    (worst, category) => moreSevere(worst, actionFor(enforced, category, scores[category])),
    "allow",
  );
  return action === "refuse" ? meant : { ...meant, action, dryRun: meant.action };
}

/** The places of what the policy acts on. */
function spansToReport(policy: SafetyPolicy, scores: Detection["scores"], findings: Detection["findings"]): Span[] {
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

/** A text that is judged by itself. */
export interface TextPassage {
  readonly text: string;
  readonly channel: Channel;
}

/** What is made of whatever was seen in a text. */
export interface PolicyEvaluator {
  readonly policy: SafetyPolicy;
  applyPolicy(detection: Detection): Verdict;
}

/** The verdicts on these texts, with the doubts settled where there were any. Never throws. */
type UncertaintyResolver = (passages: readonly TextPassage[], verdicts: readonly Verdict[]) => Promise<Verdict[]>;

/** Somebody else, who is asked about what our own check can't decide. */
export interface SecondOpinion {
  resolverFor(policyEvaluator: PolicyEvaluator): UncertaintyResolver;
}
