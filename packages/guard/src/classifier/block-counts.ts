/** What is counted of each block, beside its marks. */
export const COUNTS = {
  characters: 0,
  words: 1,
  latinWords: 2,
  strangeWords: 3,
  junctions: 4,
  humps: 5,
  signs: 6,
  digits: 7,
  capitals: 8,
  lines: 9,
  /** 1 where a block ends together with a sentence. */
  ends: 10,
} as const;
/** After the counts: how many words of each class of the lexicon. */
export const LEXICON_FROM = 11;
export const LEXICON_CLASSES = 32;
export const COUNTED = LEXICON_FROM + LEXICON_CLASSES;
