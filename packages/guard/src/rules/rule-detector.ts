import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { Channel } from "@trunkline/core/verdict.ts";
import { type DecodedText, type DecodedTexts, findDecodedTexts } from "../decode/decoded-texts.ts";
import type { Detection, Detector, Finding, StreamDetection } from "../detector.ts";
import { zeroScores } from "../policy/scores.ts";
import { findPrivateData } from "../private-data/find-private-data.ts";
import { PrivateDataStreamDetector } from "../private-data/private-data-stream-detector.ts";
import type { TextRange } from "../text-range.ts";
import { ANSWER_RULES } from "./answer-rules.ts";
import { HATE_RULES } from "./hate-rules.ts";
import type { RuleMatch } from "./rule-matcher.ts";
import { RULE_MATCHERS } from "./rule-sets.ts";
import { AnswerRuleIndex, RuleStreamDetector } from "./rule-stream-detector.ts";

const ANSWER_RULE_INDEX = new AnswerRuleIndex([...ANSWER_RULES, ...HATE_RULES], (text, isHidden) =>
  matchAnswerRules(findDecodedTexts(text), isHidden),
);

/** About the length of a page: signals further apart are unrelated. */
const SIGNAL_DISTANCE_MAX = 1500;

interface RuleSignal {
  readonly name: string;
  readonly categories: readonly SafetyCategory[];
  /** The type of a private value. */
  readonly kind?: string;
  readonly weight: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Detects by rules alone. Signals near each other add up as independent evidence, 1 - (1 - a)(1 - b)…, each rule once
 * and no text twice. The score of a category is that of the worst part of the text, so that length alone does not raise
 * it. In an answer only the strongest signal counts: an answer is screened while it grows, and its score must not
 * depend on how much of it is in view.
 */
export const ruleDetector: Detector = {
  detect: detectByRules,
  createStreamDetectors: () => [new RuleStreamDetector(ANSWER_RULE_INDEX), new PrivateDataStreamDetector()],
};

/** Matches the answer rules in a range of an answer: in all of it, or only in what is decoded from it. */
export function matchAnswerRules(decodedTexts: DecodedTexts, isHidden: boolean): StreamDetection {
  const undone = new Set<string>();
  return {
    findings: collectSignals(decodedTexts, "output", undone, isHidden).flatMap(findingsOf),
    normalised: [...undone],
  };
}

function detectByRules(text: string, channel: Channel): Detection {
  const undone = new Set<string>();
  const decodedTexts = findDecodedTexts(text);
  const ruleSignals = [
    ...collectSignals(decodedTexts, channel, undone),
    ...findPrivateData(text).map(({ category, ...datum }) => ({
      name: category,
      categories: [category],
      ...datum,
    })),
  ];
  return {
    scores: ruleSignals.length === 0 ? zeroScores() : scoreSignals(ruleSignals, channel),
    findings: ruleSignals.flatMap(findingsOf),
    normalised: [...undone],
  };
}

function findingsOf({ categories, kind, weight, start, end }: RuleSignal): Finding[] {
  return categories.map((category) => ({ category, kind, score: weight, start, end }));
}

function collectSignals(
  [plain, ...hidden]: DecodedTexts,
  channel: Channel,
  undone: Set<string>,
  isHidden = false,
): RuleSignal[] {
  for (const disguise of plain.undone) undone.add(disguise);
  const ruleSignals = isHidden ? [] : signalsIn(plain, channel);
  for (const decodedText of hidden) {
    const found = signalsIn(decodedText, channel);
    if (found.length > 0) for (const disguise of decodedText.undone) undone.add(disguise);
    ruleSignals.push(...found);
  }
  return ruleSignals;
}

function signalsIn(decodedText: DecodedText, channel: Channel): RuleSignal[] {
  return RULE_MATCHERS[channel]
    .find(decodedText.text)
    .map((ruleMatch) => signalOf(ruleMatch, decodedText.placeOf(ruleMatch.start, ruleMatch.end)));
}

/** All mentions count as one signal: a list of examples is no more of an attack than one of them. */
function signalOf({ rule, mention, weight }: RuleMatch, range: TextRange): RuleSignal {
  return { name: mention ? "mention" : rule.name, categories: rule.categories, weight, ...range };
}

function scoreSignals(found: readonly RuleSignal[], channel: Channel): Record<SafetyCategory, number> {
  const scores = zeroScores();
  const inOrder = found.toSorted((a, b) => a.start - b.start);
  for (const category of SAFETY_CATEGORIES) {
    const ruleSignals = inOrder.filter(({ categories }) => categories.includes(category));
    const score = channel === "output" ? strongestWeight(ruleSignals) : worstPassageScore(ruleSignals);
    scores[category] = Math.round(score * 1000) / 1000;
  }
  return scores;
}

function strongestWeight(ruleSignals: readonly RuleSignal[]): number {
  return ruleSignals.reduce((strongest, { weight }) => Math.max(strongest, weight), 0);
}

function worstPassageScore(ruleSignals: readonly RuleSignal[]): number {
  let worst = 0;
  const latestByRule = new Map<string, RuleSignal>();
  for (const signal of withoutOverlaps(ruleSignals)) {
    const latest = latestByRule.get(signal.name);
    const replaced = latest === undefined || latest.weight <= signal.weight || !isNear(latest, signal);
    if (replaced) latestByRule.set(signal.name, signal);
    let doubt = 1;
    for (const other of latestByRule.values()) if (isNear(other, signal)) doubt *= 1 - other.weight;
    worst = Math.max(worst, 1 - doubt);
  }
  return worst;
}

/** Of overlapping signals only the strongest counts: one sentence is no evidence for itself. */
function withoutOverlaps(ruleSignals: readonly RuleSignal[]): RuleSignal[] {
  const apart: RuleSignal[] = [];
  for (const signal of ruleSignals) {
    const last = apart.at(-1);
    if (last === undefined || signal.start >= last.end) {
      apart.push(signal);
    } else {
      const stronger = signal.weight > last.weight ? signal : last;
      apart[apart.length - 1] = { ...stronger, start: last.start, end: Math.max(last.end, signal.end) };
    }
  }
  return apart;
}

function isNear(earlier: RuleSignal, later: RuleSignal): boolean {
  return later.start - earlier.start <= SIGNAL_DISTANCE_MAX;
}
