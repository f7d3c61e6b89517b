import type { Channel, SafetyAction, Span, Verdict } from "../../domain/verdict.ts";
import { SAFETY_CATEGORIES, type SafetyCategory } from "../categories.ts";
import type { Detector } from "../detector.ts";
import { findEncodedText } from "../normal/encoded-text.ts";
import { readLeetspeak } from "../normal/leetspeak.ts";
import { normalise } from "../normal/normalise.ts";
import { actionFor, type SafetyPolicy } from "../policy.ts";
import { findPrivateData } from "../private/private-data.ts";
import { noScores, worseOf } from "../verdict-tally.ts";
import { ANSWER_RULES } from "./answer-rules.ts";
import { FOREIGN_ATTACK_RULES } from "./foreign-attack-rules.ts";
import { HATE_RULES } from "./hate-rules.ts";
import { DOCUMENT_INJECTION_RULES, INJECTION_RULES } from "./injection-rules.ts";
import { JAILBREAK_RULES } from "./jailbreak-rules.ts";
import { REQUEST_RULES } from "./request-rules.ts";
import { type Match, type RuleBook, ruleBook } from "./rule-book.ts";

/** Which signs are looked for in whose words. A document attacks, but it asks for nothing. */
const BOOKS: Readonly<Record<Channel, RuleBook>> = {
  user: ruleBook([
    ...INJECTION_RULES,
    ...FOREIGN_ATTACK_RULES,
    ...JAILBREAK_RULES,
    ...REQUEST_RULES,
    ...HATE_RULES,
  ]),
  document: ruleBook([...DOCUMENT_INJECTION_RULES, ...FOREIGN_ATTACK_RULES, ...JAILBREAK_RULES]),
  output: ruleBook([...ANSWER_RULES, ...HATE_RULES]),
};

/** About the length of a page: signs further apart than this have nothing to do with each other. */
const STRETCH_CHARACTERS = 1500;
/** More places than this help nobody. */
const SPANS_MAX = 64;

interface Finding {
  readonly sign: string;
  readonly categories: readonly SafetyCategory[];
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
export function ruleDetector(policy: SafetyPolicy): Detector {
  return { policy, judge: (text, channel) => judgeByRules(policy, text, channel) };
}

function judgeByRules(policy: SafetyPolicy, text: string, channel: Channel): Verdict {
  const undone = new Set<string>();
  const findings = [
    ...findSigns(text, channel, undone),
    ...findHiddenSigns(text, channel, undone),
    ...findPrivateData(text).map(({ category, ...datum }) => ({
      sign: category,
      categories: [category],
      ...datum,
    })),
  ];
  const categories = findings.length === 0 ? noScores() : scoresOf(findings, channel);
  const action = worstAction(policy, categories);
  return {
    flagged: action !== "allow",
    action,
    categories,
    spans: spansOf(policy, categories, findings),
    normalised: [...undone],
  };
}

function findSigns(text: string, channel: Channel, undone: Set<string>): Finding[] {
  const normal = normalise(text);
  for (const disguise of normal.undone) undone.add(disguise);
  const plain = BOOKS[channel].find(normal.text);
  const leet = channel === "output" ? undefined : readLeetspeak(normal.text);
  const unmasked = leet === undefined ? [] : BOOKS[channel].find(leet);
  if (unmasked.length > plain.length) undone.add("leetspeak");
  return [...plain, ...unmasked].map((match) =>
    findingOf(match, normal.originalOf(match.start), normal.originalOf(match.end)),
  );
}

/** What is written in an encoding counts as if it were written out; its place is that of the encoded words. */
function findHiddenSigns(text: string, channel: Channel, undone: Set<string>): Finding[] {
  return findEncodedText(text).flatMap((encoded) => {
    const matches = BOOKS[channel].find(normalise(encoded.text).text);
    if (matches.length > 0) undone.add("base64");
    return matches.map((match) => findingOf(match, encoded.start, encoded.end));
  });
}

/** All mentions are one sign: a list of examples is no more of an attack than one of them. */
function findingOf({ rule, mention, weight }: Match, start: number, end: number): Finding {
  return { sign: mention ? "mention" : rule.name, categories: rule.categories, weight, start, end };
}

function scoresOf(findings: readonly Finding[], channel: Channel): Record<SafetyCategory, number> {
  const scores = noScores();
  const inOrder = findings.toSorted((a, b) => a.start - b.start);
  for (const category of SAFETY_CATEGORIES) {
    const signs = inOrder.filter(({ categories }) => categories.includes(category));
    const score = channel === "output" ? strongestOf(signs) : worstStretchOf(signs);
    scores[category] = Math.round(score * 1000) / 1000;
  }
  return scores;
}

function strongestOf(signs: readonly Finding[]): number {
  return signs.reduce((strongest, { weight }) => Math.max(strongest, weight), 0);
}

function worstStretchOf(signs: readonly Finding[]): number {
  let worst = 0;
  const latestBySign = new Map<string, Finding>();
  for (const finding of withoutOverlaps(signs)) {
    const latest = latestBySign.get(finding.sign);
    const replaced = latest === undefined || latest.weight <= finding.weight || !isNear(latest, finding);
    if (replaced) latestBySign.set(finding.sign, finding);
    let doubt = 1;
    for (const other of latestBySign.values()) if (isNear(other, finding)) doubt *= 1 - other.weight;
    worst = Math.max(worst, 1 - doubt);
  }
  return worst;
}

/** Of signs that read the same words, only the strongest: one sentence is no evidence for itself. */
function withoutOverlaps(signs: readonly Finding[]): Finding[] {
  const apart: Finding[] = [];
  for (const finding of signs) {
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

function isNear(earlier: Finding, later: Finding): boolean {
  return later.start - earlier.start <= STRETCH_CHARACTERS;
}

function worstAction(policy: SafetyPolicy, scores: Readonly<Record<SafetyCategory, number>>): SafetyAction {
  return SAFETY_CATEGORIES.map((category) => actionFor(policy, category, scores[category])).reduce(worseOf);
}

/** The places of what the policy acts on. */
function spansOf(
  policy: SafetyPolicy,
  scores: Readonly<Record<SafetyCategory, number>>,
  findings: readonly Finding[],
): Span[] {
  const acted = new Set(
    SAFETY_CATEGORIES.filter((category) => actionFor(policy, category, scores[category]) !== "allow"),
  );
  const spans = new Map<string, Span>();
  for (const { categories, start, end } of findings) {
    for (const category of categories) {
      if (acted.has(category)) spans.set(`${category} ${start} ${end}`, { category, start, end });
    }
  }
  return [...spans.values()].sort((a, b) => a.start - b.start || a.end - b.end).slice(0, SPANS_MAX);
}
