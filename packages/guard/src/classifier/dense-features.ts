/** What is counted of each block, beside its marks. */
export const BLOCK_COUNTS = {
  characters: 0,
  words: 1,
  latinWords: 2,
  unknownWords: 3,
  punctuationJoins: 4,
  caseChanges: 5,
  punctuation: 6,
  digits: 7,
  capitals: 8,
  lines: 9,
  /** 1 where a block ends together with a sentence. */
  sentenceEnds: 10,
} as const;
/** After the counts: how many words of each class of the lexicon. */
export const LEXICON_COUNTS_START = 11;
export const LEXICON_CATEGORIES = 32;
export const BLOCK_COUNTS_SIZE = LEXICON_COUNTS_START + LEXICON_CATEGORIES;

/** Figures of a passage that are weighed as they are, beside its marks: its shape, its words of the lexicon, and the rules that found something. */

const SHAPE_FEATURES = 14;
const LEXICON_AT = SHAPE_FEATURES;
/** The last classes of the lexicon are cues: who is spoken to, and what is wanted. They tell more side by side. */
export const CUE_CATEGORIES_START = 24;
const CUE_CATEGORIES = 6;
const CUE_PAIRS = (CUE_CATEGORIES * (CUE_CATEGORIES - 1)) / 2;
const PAIRS_AT = LEXICON_AT + 2 * LEXICON_CATEGORIES;
const RULES_AT = PAIRS_AT + CUE_PAIRS;
/** So many tell of the words alone, and come first. */
export const TEXT_FEATURE_COUNT = RULES_AT;
/** How many rules agree, after the rules themselves. */
const RULE_AGREEMENT_FEATURES = 3;

/** A place where a rule applies, as the model hears of it. */
export interface RuleHit {
  /** Of the names in the weights; -1 for one that they don't know. */
  readonly rule: number;
  /** 1, or less where the words are only mentioned. */
  readonly weight: number;
  /** The block in which it begins. */
  readonly block: number;
}

export function denseFeatureCount(rules: number): number {
  return RULES_AT + rules + RULE_AGREEMENT_FEATURES;
}

/** Whether a figure tells of cues. */
export function isCueFeature(figure: number): boolean {
  const first = LEXICON_AT + 2 * CUE_CATEGORIES_START;
  return (figure >= first && figure < first + 2 * CUE_CATEGORIES) || (figure >= PAIRS_AT && figure < RULES_AT);
}

/** Fills in the figures of a passage from the counts of its blocks. */
export function fillTextFeatures(counts: Int32Array, figures: Float32Array): void {
  const of = (count: number) => counts[count] ?? 0;
  const characters = of(BLOCK_COUNTS.characters) + 1;
  const words = of(BLOCK_COUNTS.words) + 1;
  const latin = of(BLOCK_COUNTS.latinWords);
  const strange = latin < 3 ? 0 : of(BLOCK_COUNTS.unknownWords) / latin;
  const junctions = of(BLOCK_COUNTS.punctuationJoins) / words;
  const humps = of(BLOCK_COUNTS.caseChanges) / words;
  const signs = of(BLOCK_COUNTS.punctuation) / characters;
  figures[0] = 1;
  figures[1] = Math.min(2, Math.log2(characters) / 6);
  figures[2] = strange;
  figures[3] = strange > 0.3 ? 1 : 0;
  figures[4] = Math.min(1, junctions);
  figures[5] = Math.min(1, 2 * humps);
  figures[6] = Math.min(1, 3 * signs);
  figures[7] = of(BLOCK_COUNTS.digits) / characters;
  figures[8] = Math.min(1, (2 * of(BLOCK_COUNTS.capitals)) / characters);
  figures[9] = Math.min(1, (20 * of(BLOCK_COUNTS.lines)) / characters);
  figures[10] = Math.min(1, 3 * strange * junctions);
  figures[11] = Math.min(1, 4 * junctions * humps);
  figures[12] = Math.min(1, 3 * strange * humps);
  figures[13] = characters < 32 ? 1 : 0;
  for (let at = 0; at < LEXICON_CATEGORIES; at++) {
    const hits = of(LEXICON_COUNTS_START + at);
    figures[LEXICON_AT + 2 * at] = hits > 0 ? 1 : 0;
    figures[LEXICON_AT + 2 * at + 1] = hits > 0 ? Math.min(1, (4 * hits) / words) : 0;
  }
  figures.fill(0, PAIRS_AT);
  for (let one = 0; one < CUE_CATEGORIES; one++) {
    if (of(LEXICON_COUNTS_START + CUE_CATEGORIES_START + one) === 0) continue;
    for (let other = one + 1; other < CUE_CATEGORIES; other++)
      if (of(LEXICON_COUNTS_START + CUE_CATEGORIES_START + other) > 0) figures[PAIRS_AT + cuePairIndex(one, other)] = 1;
  }
}

/** Where a pair of cues stands among all pairs, in order. */
function cuePairIndex(one: number, other: number): number {
  return (one * (2 * CUE_CATEGORIES - one - 1)) / 2 + other - one - 1;
}

/** Fills in what the rules found in the blocks from one to another, end exclusive. */
export function fillRuleFeatures(hits: readonly RuleHit[], from: number, to: number, figures: Float32Array): void {
  let found = 0;
  let strong = 0;
  for (const { rule, weight, block } of hits) {
    if (rule < 0 || block < from || block >= to) continue;
    const at = RULES_AT + rule;
    if (figures[at] === 0) found++;
    if (weight === 1) strong++;
    figures[at] = Math.max(figures[at] ?? 0, weight);
  }
  const together = figures.length - RULE_AGREEMENT_FEATURES;
  figures[together] = found > 0 ? 1 : 0;
  figures[together + 1] = found > 1 ? 1 : 0;
  figures[together + 2] = strong > 2 ? 1 : 0;
}
