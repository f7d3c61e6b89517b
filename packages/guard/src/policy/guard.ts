import { codePointBoundary } from "@trunkline/core/code-points.ts";
import { REDACTABLE_CATEGORIES, SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { Channel, SafetyAction, SafetyLevel, Span, Verdict } from "@trunkline/core/verdict.ts";
import type { Detection, Detector, StreamDetection, StreamDetector } from "../detector.ts";
import type { PrivateValue } from "../private-data/candidates/private-value.ts";
import { findPrivateData } from "../private-data/find-private-data.ts";
import { actionFor, reportOnlyPolicy, type SafetyPolicy } from "./policy.ts";
import { areBelow, roundScore, type Scores, zeroScores } from "./scores.ts";
import { moreSevere, SPANS_MAX } from "./verdict-tally.ts";

/** A detector with a policy: examines texts and decides what to do about them. */
export interface Guard {
  /** Determines the action of a verdict and the categories that a refusal names. */
  readonly policy: SafetyPolicy;
  /** Whether values redacted from a request are restored in its answer. */
  readonly restoresRedactions: boolean;
  /** Evaluates a text at once. `evaluateLongText` cuts a text of any length into pieces. */
  evaluate(text: string, channel: Channel): Verdict;
  /** Evaluates a complete answer in which nothing is found; undefined: only the stream detectors can tell. */
  evaluatePlainAnswer?(text: string): Verdict | undefined;
  /** Creates the detectors that examine one answer while it grows. */
  createStreamDetectors(): readonly StreamDetector[];
  /** Decides what to do about a detection in an answer. */
  applyPolicy(streamDetection: StreamDetection): Verdict;
  /** Whether the policy redacts anything. */
  readonly redacts: boolean;
  /** Finds the values that the policy redacts, in order. */
  readonly findValuesToRedact: (text: string) => readonly PrivateValue[];
  /** Asks a judge about uncertain verdicts; undefined: none is configured. */
  readonly resolveUncertainty?: UncertaintyResolver | undefined;
}

/** The options of a guard besides its policy. */
export interface GuardOptions {
  readonly restoresRedactions?: boolean;
  /** Takes no action; the verdicts say which action would have been taken. */
  readonly dryRun?: boolean;
  /** The level whose rules set the thresholds of each category. */
  readonly decidedBy?: Readonly<Record<SafetyCategory, SafetyLevel>>;
  /** Blanks what is never redacted, whatever the policy says. */
  readonly blank?: ((text: string) => string) | undefined;
  /** The judge for uncertain verdicts. */
  readonly secondOpinion?: SecondOpinion | undefined;
}

export function createGuard(detector: Detector, policy: SafetyPolicy, options: GuardOptions = {}): Guard {
  const { restoresRedactions = true, dryRun = false, decidedBy, secondOpinion, blank = (text) => text } = options;
  const enforced = dryRun ? reportOnlyPolicy(policy) : policy;
  const redacts = REDACTABLE_CATEGORIES.some((category) => enforced[category].redactAt !== undefined);
  // A dry run reports whatever it would act on, so that the limits are the same.
  const limits = lowestThresholds(policy);
  const allow = dryRun ? cleanDryRunVerdict : cleanVerdict;
  const decide = (detection: Detection): Verdict => {
    if (areBelow(detection.scores, limits)) return allow(detection);
    const verdict = verdictFor(detection, policy, decidedBy);
    return dryRun ? dryRunVerdict(verdict, detection, enforced) : verdict;
  };
  return {
    policy: enforced,
    restoresRedactions,
    evaluate(text, channel) {
      const detection = detector.detect(text, channel);
      return areBelow(detection.scores, limits) ? allow(detection) : decide(atCharacterBoundaries(detection, text));
    },
    evaluatePlainAnswer(text) {
      const scores = detector.scorePlainAnswer?.(text);
      if (scores === undefined || !areBelow(scores, limits)) return undefined;
      return allow({ scores, findings: NO_FINDINGS, normalised: NO_DISGUISES });
    },
    createStreamDetectors: () => detector.createStreamDetectors(),
    applyPolicy: (streamDetection) =>
      decide({
        scores: highestScores(streamDetection),
        findings: streamDetection.findings,
        normalised: streamDetection.normalised,
      }),
    resolveUncertainty: secondOpinion?.resolverFor({ policy: enforced, applyPolicy: decide }),
    redacts,
    findValuesToRedact: (text) =>
      redacts
        ? findPrivateData(blank(text)).filter(
            ({ category, weight }) => actionFor(enforced, category, weight) === "redact",
          )
        : [],
  };
}

const NEVER = Number.POSITIVE_INFINITY;

/** The score from which on something is done about each category. */
function lowestThresholds(policy: SafetyPolicy): Scores {
  const limits = zeroScores();
  for (const category of SAFETY_CATEGORIES) {
    const { reportAt, redactAt, refuseAt } = policy[category];
    limits[category] = Math.min(reportAt ?? NEVER, redactAt ?? NEVER, refuseAt ?? NEVER);
  }
  return limits;
}

const NO_SPANS: readonly Span[] = [];
const NO_FINDINGS: Detection["findings"] = [];
const NO_DISGUISES: readonly string[] = [];

function cleanVerdict({ scores, normalised }: Detection): Verdict {
  return { flagged: false, action: "allow", categories: scores, spans: NO_SPANS, normalised };
}

function cleanDryRunVerdict({ scores, normalised }: Detection): Verdict {
  return { flagged: false, action: "allow", categories: scores, spans: NO_SPANS, normalised, dryRun: "allow" };
}

/** Detectors count UTF-16 units; reported offsets never split a surrogate pair. */
function atCharacterBoundaries(detection: Detection, text: string): Detection {
  const { scores, findings, normalised } = detection;
  if (findings.length === 0) return detection;
  return {
    scores,
    findings: findings.map((finding) => ({
      ...finding,
      start: codePointBoundary(text, finding.start),
      end: codePointBoundary(text, finding.end),
    })),
    normalised,
  };
}

function highestScores({ findings }: StreamDetection): Detection["scores"] {
  const scores = zeroScores();
  for (const { category, score } of findings) scores[category] = Math.max(scores[category], roundScore(score));
  return scores;
}

/** Applies a policy to a detection. */
function verdictFor(
  { scores, findings, normalised }: Detection,
  policy: SafetyPolicy,
  decidedBy: GuardOptions["decidedBy"],
): Verdict {
  const acted: Record<string, SafetyAction> = {};
  let action: SafetyAction = "allow";
  let decisive: SafetyCategory | undefined;
  for (const category of SAFETY_CATEGORIES) {
    const categoryAction = actionFor(policy, category, scores[category]);
    if (categoryAction === "allow") continue;
    acted[category] = categoryAction;
    if (moreSevere(action, categoryAction) === action) continue;
    action = categoryAction;
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

/** The verdict of a dry run: the action follows from the enforced policy, the report from the intended one. */
function dryRunVerdict(intended: Verdict, { scores }: Detection, enforced: SafetyPolicy): Verdict {
  const action = SAFETY_CATEGORIES.reduce<SafetyAction>(
    (worst, category) => moreSevere(worst, actionFor(enforced, category, scores[category])),
    "allow",
  );
  return action === "refuse" ? intended : { ...intended, action, dryRun: intended.action };
}

/** The spans of the findings that the policy acts on. */
function spansToReport(policy: SafetyPolicy, scores: Detection["scores"], findings: Detection["findings"]): Span[] {
  const spans = new Map<string, Span>();
  for (const { category, kind, score, start, end } of findings) {
    // A private value has a score of its own; other findings contribute to the score of the category.
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

/** A text that is evaluated by itself. */
export interface TextPassage {
  readonly text: string;
  readonly channel: Channel;
}

/** Applies a policy to detections. */
export interface PolicyEvaluator {
  readonly policy: SafetyPolicy;
  applyPolicy(detection: Detection): Verdict;
}

/** Returns the verdicts with uncertain ones resolved. Never throws. */
type UncertaintyResolver = (passages: readonly TextPassage[], verdicts: readonly Verdict[]) => Promise<Verdict[]>;

/** A judge that decides what our own check cannot. */
export interface SecondOpinion {
  resolverFor(policyEvaluator: PolicyEvaluator): UncertaintyResolver;
}
