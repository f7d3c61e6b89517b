import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-category.ts";
import type { Channel } from "@trunkline/core/verdict.ts";
import { type Layer, type Layers, layersOf, type Place, readLayers } from "../decode/layers.ts";
import type { Detector, Finding, News, Sighting } from "../detector.ts";
import { noScores } from "../policy/verdict-tally.ts";
import { searchPrivateData } from "../private-data/private-data.ts";
import { PrivateFollower } from "../private-data/private-follower.ts";
import { atOnce, type Steps } from "../resumable.ts";
import { ANSWER_RULES } from "./answer-rules.ts";
import { HATE_RULES } from "./hate-rules.ts";
import type { Match } from "./rule-book.ts";
import { AnswerRules, RuleFollower } from "./rule-follower.ts";
import { BOOKS } from "./rule-sets.ts";

const RULES_OF_ANSWERS = new AnswerRules([...ANSWER_RULES, ...HATE_RULES], (text, isHidden) =>
  findInAnswer(layersOf(text), isHidden),
);

/** About the length of a page: signs further apart than this have nothing to do with each other. */
const STRETCH_CHARACTERS = 1500;

interface Sign {
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
  examine: (text, channel) => atOnce(examineByRules(text, channel)),
  examining: examineByRules,
  follow: () => [new RuleFollower(RULES_OF_ANSWERS), new PrivateFollower()],
};

/** What the rules for answers find in a stretch of one: all of it, or only what is hidden in it. */
export function findInAnswer(layers: Layers, isHidden: boolean): News {
  const undone = new Set<string>();
  return {
    findings: findSigns(layers, "output", undone, isHidden).flatMap(findingsOf),
    normalised: [...undone],
  };
}

function* examineByRules(text: string, channel: Channel): Steps<Sighting> {
  const undone = new Set<string>();
  const layers = yield* readLayers(text);
  const signs = [
    ...findSigns(layers, channel, undone),
    ...(yield* searchPrivateData(text)).map(({ category, ...datum }) => ({
      name: category,
      categories: [category],
      ...datum,
    })),
  ];
  return {
    scores: signs.length === 0 ? noScores() : scoresOf(signs, channel),
    findings: signs.flatMap(findingsOf),
    normalised: [...undone],
  };
}

function findingsOf({ categories, kind, weight, start, end }: Sign): Finding[] {
  return categories.map((category) => ({ category, kind, score: weight, start, end }));
}

function findSigns(
  [plain, ...hidden]: Layers,
  channel: Channel,
  undone: Set<string>,
  isHidden = false,
): Sign[] {
  for (const disguise of plain.undone) undone.add(disguise);
  const signs = isHidden ? [] : signsIn(plain, channel);
  for (const layer of hidden) {
    const found = signsIn(layer, channel);
    if (found.length > 0) for (const disguise of layer.undone) undone.add(disguise);
    signs.push(...found);
  }
  return signs;
}

function signsIn(layer: Layer, channel: Channel): Sign[] {
  return BOOKS[channel].find(layer.text).map((match) => signOf(match, layer.placeOf(match.start, match.end)));
}

/** All mentions are one sign: a list of examples is no more of an attack than one of them. */
function signOf({ rule, mention, weight }: Match, place: Place): Sign {
  return { name: mention ? "mention" : rule.name, categories: rule.categories, weight, ...place };
}

function scoresOf(found: readonly Sign[], channel: Channel): Record<SafetyCategory, number> {
  const scores = noScores();
  const inOrder = found.toSorted((a, b) => a.start - b.start);
  for (const category of SAFETY_CATEGORIES) {
    const signs = inOrder.filter(({ categories }) => categories.includes(category));
    const score = channel === "output" ? strongestOf(signs) : worstStretchOf(signs);
    scores[category] = Math.round(score * 1000) / 1000;
  }
  return scores;
}

function strongestOf(signs: readonly Sign[]): number {
  return signs.reduce((strongest, { weight }) => Math.max(strongest, weight), 0);
}

function worstStretchOf(signs: readonly Sign[]): number {
  let worst = 0;
  const latestBySign = new Map<string, Sign>();
  for (const finding of withoutOverlaps(signs)) {
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
function withoutOverlaps(signs: readonly Sign[]): Sign[] {
  const apart: Sign[] = [];
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

function isNear(earlier: Sign, later: Sign): boolean {
  return later.start - earlier.start <= STRETCH_CHARACTERS;
}
