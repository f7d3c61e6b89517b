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
