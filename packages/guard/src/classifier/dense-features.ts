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
const LENGTH_FEATURE = 1;
const LEXICON_AT = SHAPE_FEATURES;
/** The last lexicon categories are cues: who is addressed and what is wanted. Pairs of them are features too. */
export const CUE_CATEGORIES_START = 24;
const CUE_CATEGORIES = 6;
const CUE_PAIRS = (CUE_CATEGORIES * (CUE_CATEGORIES - 1)) / 2;
const PAIRS_AT = LEXICON_AT + 2 * LEXICON_CATEGORIES;
const RULES_AT = PAIRS_AT + CUE_PAIRS;
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

/** Whether a feature is the length of the passage. */
export function isLengthFeature(feature: number): boolean {
  return feature === LENGTH_FEATURE;
}

/** Whether a feature is about cues. */
export function isCueFeature(feature: number): boolean {
  const first = LEXICON_AT + 2 * CUE_CATEGORIES_START;
  return (feature >= first && feature < first + 2 * CUE_CATEGORIES) || (feature >= PAIRS_AT && feature < RULES_AT);
}

/** The dense features of a passage that are not zero, in order: most are zero. */
export class DenseFeatures {
  /** The first `size` are the indexes of the features, and their values. */
  readonly indexes: Int32Array;
  readonly values: Float32Array;
  size = 0;
  /** By rule, then how many agree; made where a rule matched. */
  readonly #ofRules: Float32Array;

  constructor(rules: number) {
    this.indexes = new Int32Array(denseFeatureCount(rules));
    this.values = new Float32Array(this.indexes.length);
    this.#ofRules = new Float32Array(rules + RULE_AGREEMENT_FEATURES);
  }

  #add(index: number, value: number): void {
    this.indexes[this.size] = index;
    this.values[this.size] = value;
    // What is rounded to zero counts as zero.
    if (this.values[this.size] !== 0) this.size++;
  }

  /** Derives the features from the counts of a passage's blocks. */
  fromCounts(counts: Int32Array): void {
    const characters = (counts[BLOCK_COUNTS.characters] ?? 0) + 1;
    const words = (counts[BLOCK_COUNTS.words] ?? 0) + 1;
    const latin = counts[BLOCK_COUNTS.latinWords] ?? 0;
    const unknownShare = latin < 3 ? 0 : (counts[BLOCK_COUNTS.unknownWords] ?? 0) / latin;
    const joins = (counts[BLOCK_COUNTS.punctuationJoins] ?? 0) / words;
    const caseChanges = (counts[BLOCK_COUNTS.caseChanges] ?? 0) / words;
    const punctuation = (counts[BLOCK_COUNTS.punctuation] ?? 0) / characters;
    this.size = 0;
    this.#add(0, 1);
    this.#add(LENGTH_FEATURE, Math.min(2, Math.log2(characters) / 6));
    this.#add(2, unknownShare);
    this.#add(3, unknownShare > 0.3 ? 1 : 0);
    this.#add(4, Math.min(1, joins));
    this.#add(5, Math.min(1, 2 * caseChanges));
    this.#add(6, Math.min(1, 3 * punctuation));
    this.#add(7, (counts[BLOCK_COUNTS.digits] ?? 0) / characters);
    this.#add(8, Math.min(1, (2 * (counts[BLOCK_COUNTS.capitals] ?? 0)) / characters));
    this.#add(9, Math.min(1, (20 * (counts[BLOCK_COUNTS.lines] ?? 0)) / characters));
    this.#add(10, Math.min(1, 3 * unknownShare * joins));
    this.#add(11, Math.min(1, 4 * joins * caseChanges));
    this.#add(12, Math.min(1, 3 * unknownShare * caseChanges));
    this.#add(13, characters < 32 ? 1 : 0);
    for (let at = 0; at < LEXICON_CATEGORIES; at++) {
      const hits = counts[LEXICON_COUNTS_START + at] ?? 0;
      if (hits === 0) continue;
      this.#add(LEXICON_AT + 2 * at, 1);
      this.#add(LEXICON_AT + 2 * at + 1, Math.min(1, (4 * hits) / words));
    }
    for (let one = 0; one < CUE_CATEGORIES; one++) {
      if ((counts[LEXICON_COUNTS_START + CUE_CATEGORIES_START + one] ?? 0) === 0) continue;
      for (let other = one + 1; other < CUE_CATEGORIES; other++)
        if ((counts[LEXICON_COUNTS_START + CUE_CATEGORIES_START + other] ?? 0) > 0)
          this.#add(PAIRS_AT + cuePairIndex(one, other), 1);
    }
  }

  /** Adds the features of the rules that matched in the blocks `from` to `to`, end exclusive. */
  addRules(hits: readonly RuleHit[], from: number, to: number): void {
    const ofRules = this.#ofRules;
    ofRules.fill(0);
    let found = 0;
    let strong = 0;
    for (const { rule, weight, block } of hits) {
      if (rule < 0 || block < from || block >= to) continue;
      if (ofRules[rule] === 0) found++;
      if (weight === 1) strong++;
      ofRules[rule] = Math.max(ofRules[rule] ?? 0, weight);
    }
    const together = ofRules.length - RULE_AGREEMENT_FEATURES;
    ofRules[together] = found > 0 ? 1 : 0;
    ofRules[together + 1] = found > 1 ? 1 : 0;
    ofRules[together + 2] = strong > 2 ? 1 : 0;
    for (let at = 0; at < ofRules.length; at++) this.#add(RULES_AT + at, ofRules[at] ?? 0);
  }
}

/** The index of a pair of cues among all ordered pairs. */
function cuePairIndex(one: number, other: number): number {
  return (one * (2 * CUE_CATEGORIES - one - 1)) / 2 + other - one - 1;
}
