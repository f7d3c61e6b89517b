import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { Channel } from "@trunkline/core/verdict.ts";
import {
  type DecodedText,
  type DecodedTexts,
  findDecodedTexts,
  findDecodedTextsResumable,
  type SourceSpan,
} from "../decode/decoded-texts.ts";
import type { Detection, Detector, Finding, StreamDetection } from "../detector.ts";
import { zeroScores } from "../policy/verdict-tally.ts";
import { findPrivateDataResumable } from "../private-data/find-private-data.ts";
import { PrivateDataStreamDetector } from "../private-data/private-data-stream-detector.ts";
import { type Resumable, runToEnd } from "../resumable.ts";
import { ANSWER_RULES } from "./answer-rules.ts";
import { HATE_RULES } from "./hate-rules.ts";
import type { RuleMatch } from "./rule-matcher.ts";
import { RULE_MATCHERS } from "./rule-sets.ts";
import { AnswerRuleIndex, RuleStreamDetector } from "./rule-stream-detector.ts";

const ANSWER_RULE_INDEX = new AnswerRuleIndex([...ANSWER_RULES, ...HATE_RULES], (text, isHidden) =>
  matchAnswerRules(findDecodedTexts(text), isHidden),
);

/** About the length of a page: signs further apart than this have nothing to do with each other. */
const SIGNAL_DISTANCE_MAX = 1500;

interface RuleSignal {
  readonly name: string;
  readonly categories: readonly SafetyCategory[];
  /** What the value there is, where it is one. */
  readonly kind?: string;
  readonly weight: number;
  readonly start: number;
  readonly end: number;
}

/**
 * A detector of plain rules. A category's score is how sure its signs make us together: signs that stand near each other
 * add up as independent evidence, 1 - (1 - a)(1 - b)…, each sign once and no words twice; the score is that of
 * the worst stretch of the text, so that a long one is not condemned for its length. In an answer only the strongest
 * sign counts: an answer is judged while it grows, and its score must not depend on how much of it is in view.
 */
export const ruleDetector: Detector = {
  detect: (text, channel) => runToEnd(detectByRulesResumable(text, channel)),
  detectResumable: detectByRulesResumable,
  createStreamDetectors: () => [new RuleStreamDetector(ANSWER_RULE_INDEX), new PrivateDataStreamDetector()],
};

/** What the rules for answers find in a stretch of one: all of it, or only what is hidden in it. */
export function matchAnswerRules(decodedTexts: DecodedTexts, isHidden: boolean): StreamDetection {
  const undone = new Set<string>();
  return {
    findings: collectSignals(decodedTexts, "output", undone, isHidden).flatMap(findingsOf),
    normalised: [...undone],
  };
}

function* detectByRulesResumable(text: string, channel: Channel): Resumable<Detection> {
  const undone = new Set<string>();
  const decodedTexts = yield* findDecodedTextsResumable(text);
  const ruleSignals = [
    ...collectSignals(decodedTexts, channel, undone),
    ...(yield* findPrivateDataResumable(text)).map(({ category, ...datum }) => ({
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

/** All mentions are one sign: a list of examples is no more of an attack than one of them. */
function signalOf({ rule, mention, weight }: RuleMatch, sourceSpan: SourceSpan): RuleSignal {
  return { name: mention ? "mention" : rule.name, categories: rule.categories, weight, ...sourceSpan };
}

function scoreSignals(found: readonly RuleSignal[], channel: Channel): Record<SafetyCategory, number> {
  const scores = zeroScores();
  const inOrder = found.toSorted((a, b) => a.start - b.start);
  for (const category of SAFETY_CATEGORIES) {
    const ruleSignals = inOrder.filter(({ categories }) => categories.includes(category));
    const score = channel === "output" ? strongestWeight(ruleSignals) : worstStretchScore(ruleSignals);
    scores[category] = Math.round(score * 1000) / 1000;
  }
  return scores;
}

function strongestWeight(ruleSignals: readonly RuleSignal[]): number {
  return ruleSignals.reduce((strongest, { weight }) => Math.max(strongest, weight), 0);
}

function worstStretchScore(ruleSignals: readonly RuleSignal[]): number {
  let worst = 0;
  const latestBySign = new Map<string, RuleSignal>();
  for (const finding of withoutOverlaps(ruleSignals)) {
    const latest = latestBySign.get(finding.name);
    const replaced = latest === undefined || latest.weight <= finding.weight || !isNear(latest, finding);
    if (replaced) latestBySign.set(finding.name, finding);
    let doubt = 1;
    for (const other of latestBySign.values()) if (isNear(other, finding)) doubt *= 1 - other.weight;
    worst = Math.max(worst, 1 - doubt);
  }
  return worst;
}

/** Of signs that read the same words, only the strongest: one sentence is no evidence for itself. */
function withoutOverlaps(ruleSignals: readonly RuleSignal[]): RuleSignal[] {
  const apart: RuleSignal[] = [];
  for (const finding of ruleSignals) {
    const last = apart.at(-1);
    if (last === undefined || finding.start >= last.end) {
      apart.push(finding);
    } else {
      const stronger = finding.weight > last.weight ? finding : last;
      apart[apart.length - 1] = { ...stronger, start: last.start, end: Math.max(last.end, finding.end) };
    }
  }
  return apart;
}

function isNear(earlier: RuleSignal, later: RuleSignal): boolean {
  return later.start - earlier.start <= SIGNAL_DISTANCE_MAX;
}
