/** What is counted in each block besides its hashed features. */
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
  /** 1 where the block ends with the end of a sentence. */
  sentenceEnds: 10,
} as const;
/** After these counts: the number of words in each lexicon category. */
export const LEXICON_COUNTS_START = 11;
export const LEXICON_CATEGORIES = 32;
export const BLOCK_COUNTS_SIZE = LEXICON_COUNTS_START + LEXICON_CATEGORIES;

// Dense features of a passage, besides the hashed ones: its shape, its lexicon words, and the rules that matched.

const SHAPE_FEATURES = 14;
const LEXICON_AT = SHAPE_FEATURES;
/** The last lexicon categories are cues: who is addressed and what is wanted. Pairs of them are features too. */
export const CUE_CATEGORIES_START = 24;
const CUE_CATEGORIES = 6;
const CUE_PAIRS = (CUE_CATEGORIES * (CUE_CATEGORIES - 1)) / 2;
const PAIRS_AT = LEXICON_AT + 2 * LEXICON_CATEGORIES;
const RULES_AT = PAIRS_AT + CUE_PAIRS;
/** The features that depend on the text alone come first. */
export const TEXT_FEATURE_COUNT = RULES_AT;
/** How many rules agree; stored after the features of the rules. */
const RULE_AGREEMENT_FEATURES = 3;

/** A rule match, as the model sees it. */
export interface RuleHit {
  /** The index in the rule names of the weights; -1: unknown to them. */
  readonly rule: number;
  /** 1, or less where the phrase is only mentioned. */
  readonly weight: number;
  /** The block in which the match begins. */
  readonly block: number;
}

export function denseFeatureCount(rules: number): number {
  return RULES_AT + rules + RULE_AGREEMENT_FEATURES;
}

/** Whether a feature is about cues. */
export function isCueFeature(feature: number): boolean {
  const first = LEXICON_AT + 2 * CUE_CATEGORIES_START;
  return (feature >= first && feature < first + 2 * CUE_CATEGORIES) || (feature >= PAIRS_AT && feature < RULES_AT);
}

/** Fills in the dense features of a passage from the counts of its blocks. */
export function fillTextFeatures(counts: Int32Array, features: Float32Array): void {
  const of = (count: number) => counts[count] ?? 0;
  const characters = of(BLOCK_COUNTS.characters) + 1;
  const words = of(BLOCK_COUNTS.words) + 1;
  const latin = of(BLOCK_COUNTS.latinWords);
  const unknownShare = latin < 3 ? 0 : of(BLOCK_COUNTS.unknownWords) / latin;
  const joins = of(BLOCK_COUNTS.punctuationJoins) / words;
  const caseChanges = of(BLOCK_COUNTS.caseChanges) / words;
  const punctuation = of(BLOCK_COUNTS.punctuation) / characters;
  features[0] = 1;
  features[1] = Math.min(2, Math.log2(characters) / 6);
  features[2] = unknownShare;
  features[3] = unknownShare > 0.3 ? 1 : 0;
  features[4] = Math.min(1, joins);
  features[5] = Math.min(1, 2 * caseChanges);
  features[6] = Math.min(1, 3 * punctuation);
  features[7] = of(BLOCK_COUNTS.digits) / characters;
  features[8] = Math.min(1, (2 * of(BLOCK_COUNTS.capitals)) / characters);
  features[9] = Math.min(1, (20 * of(BLOCK_COUNTS.lines)) / characters);
  features[10] = Math.min(1, 3 * unknownShare * joins);
  features[11] = Math.min(1, 4 * joins * caseChanges);
  features[12] = Math.min(1, 3 * unknownShare * caseChanges);
  features[13] = characters < 32 ? 1 : 0;
  for (let at = 0; at < LEXICON_CATEGORIES; at++) {
    const hits = of(LEXICON_COUNTS_START + at);
    features[LEXICON_AT + 2 * at] = hits > 0 ? 1 : 0;
    features[LEXICON_AT + 2 * at + 1] = hits > 0 ? Math.min(1, (4 * hits) / words) : 0;
  }
  features.fill(0, PAIRS_AT);
  for (let one = 0; one < CUE_CATEGORIES; one++) {
    if (of(LEXICON_COUNTS_START + CUE_CATEGORIES_START + one) === 0) continue;
    for (let other = one + 1; other < CUE_CATEGORIES; other++)
      if (of(LEXICON_COUNTS_START + CUE_CATEGORIES_START + other) > 0)
        features[PAIRS_AT + cuePairIndex(one, other)] = 1;
  }
}

/** The index of a pair of cues among all ordered pairs. */
function cuePairIndex(one: number, other: number): number {
  return (one * (2 * CUE_CATEGORIES - one - 1)) / 2 + other - one - 1;
}

/** Fills in the features of the rules that matched in the blocks `from` to `to`, end exclusive. */
export function fillRuleFeatures(hits: readonly RuleHit[], from: number, to: number, features: Float32Array): void {
  let found = 0;
  let strong = 0;
  for (const { rule, weight, block } of hits) {
    if (rule < 0 || block < from || block >= to) continue;
    const at = RULES_AT + rule;
    if (features[at] === 0) found++;
    if (weight === 1) strong++;
    features[at] = Math.max(features[at] ?? 0, weight);
  }
  const together = features.length - RULE_AGREEMENT_FEATURES;
  features[together] = found > 0 ? 1 : 0;
  features[together + 1] = found > 1 ? 1 : 0;
  features[together + 2] = strong > 2 ? 1 : 0;
}
