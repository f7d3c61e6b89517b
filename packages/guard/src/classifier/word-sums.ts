import {
  EMPTY_WORD_HASH,
  HASH_PRIME,
  isBitSet,
  lexiconCategory,
  mixHash,
  NgramFeatures,
  setBit,
  wordBucket,
} from "./feature-hashing.ts";
import { addFeatureRows, PACKED_SUMS } from "./row-sums.ts";

/** What the scanner knows about single words. */
export interface Vocabulary {
  /** A bit per bucket: whether a Latin word occurred in training. */
  readonly familiar: Uint8Array;
  /** Hashes of words and pairs, open addressing, 0 for an empty slot; and the category of each. */
  readonly lexicon: Int32Array;
  readonly lexiconCategories: Uint8Array;
}

/** The longest word that is kept: its letters fit into two integers. */
export const WORD_LETTERS_MAX = 12;
export const LETTERS_PER_KEY = 6;
/** A word has at most three n-grams per letter, three that end with the space, and itself. */
const WORD_FEATURES_MAX = 3 * WORD_LETTERS_MAX + 4;

const SLOT_BITS = 14;
const LEXICON_BITS = 1 << 16;
/** A slot is one cache line. */
const SLOT_SIZE = 16;
/** The places in a slot, after the letters: the sums, the hash of the word, and its traits. */
export const LETTER_SUMS_AT = 2;
/** The sums where a space follows the word: it ends n-grams, too. */
export const SPACED_SUMS_AT = LETTER_SUMS_AT + PACKED_SUMS;
export const HASH_AT = SPACED_SUMS_AT + PACKED_SUMS;
export const TRAITS_AT = HASH_AT + 1;

// The traits: whether the word is unknown, its lexicon category plus one, and how many features each sum has.
export const UNKNOWN_WORD = 1;
export const CATEGORY_SHIFT = 1;
export const CATEGORY_MASK = 127;
export const LETTER_FEATURES_SHIFT = 8;
export const SPACED_FEATURES_SHIFT = 16;
export const FEATURES_MASK = 255;

/**
 * What the model knows of words that came before. Most words of a text are common ones, and the rows of their n-grams lie
 * all over the table: summing them again takes far longer than looking the sums up. All sums are exact.
 */
export class WordSums {
  readonly slots = new Int32Array(SLOT_SIZE << SLOT_BITS);
  readonly #table: Int32Array;
  readonly #vocabulary: Vocabulary;
  readonly #ngrams = new NgramFeatures(WORD_FEATURES_MAX);
  /** A bit for each hash in the lexicon: most pairs of words have none. */
  readonly #mayBeInLexicon = new Uint8Array(LEXICON_BITS / 8);

  constructor(table: Int32Array, vocabulary: Vocabulary) {
    this.#table = table;
    this.#vocabulary = vocabulary;
    for (const hash of vocabulary.lexicon) if (hash !== 0) setBit(this.#mayBeInLexicon, hash & (LEXICON_BITS - 1));
  }

  /** The category of a word or pair in the lexicon; -1: it has none. */
  lexiconCategory(hash: number): number {
    return isBitSet(this.#mayBeInLexicon, hash & (LEXICON_BITS - 1)) ? lexiconCategory(this.#vocabulary, hash) : -1;
  }

  /** The place in `slots` of a word of ASCII letters. `first`, `second`: its letters, five bits each. */
  placeOf(codes: Uint16Array, from: number, to: number, first: number, second: number): number {
    const place = ((Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> (32 - SLOT_BITS)) * SLOT_SIZE;
    const { slots } = this;
    if (slots[place] !== first || slots[place + 1] !== second) {
      this.#fill(place, codes, from, to);
      slots[place] = first;
      slots[place + 1] = second;
    }
    return place;
  }

  #fill(place: number, codes: Uint16Array, from: number, to: number): void {
    const { slots } = this;
    const ngrams = this.#ngrams;
    for (let at = 0; at < SLOT_SIZE; at++) slots[place + at] = 0;
    let word = EMPTY_WORD_HASH;
    for (let at = from; at < to; at++) word = (Math.imul(word, HASH_PRIME) + ((codes[at] ?? 0) | 32)) | 0;
    const hash = mixHash(word);
    const bucket = wordBucket(hash);
    ngrams.clear();
    ngrams.startRun();
    ngrams.addLetters(codes, from, to);
    ngrams.push(bucket);
    const letterFeatures = ngrams.size;
    addFeatureRows(this.#table, ngrams.features, letterFeatures, slots, place + LETTER_SUMS_AT);
    ngrams.add(32);
    addFeatureRows(this.#table, ngrams.features, ngrams.size, slots, place + SPACED_SUMS_AT);
    slots[place + HASH_AT] = hash;
    slots[place + TRAITS_AT] =
      (isBitSet(this.#vocabulary.familiar, bucket) ? 0 : UNKNOWN_WORD) |
      ((lexiconCategory(this.#vocabulary, hash) + 1) << CATEGORY_SHIFT) |
      (letterFeatures << LETTER_FEATURES_SHIFT) |
      (ngrams.size << SPACED_FEATURES_SHIFT);
  }
}
