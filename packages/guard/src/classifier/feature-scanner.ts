import { codesOf } from "../text-codes.ts";
import {
  CHARACTER_KINDS,
  ENDS_AFTER_QUOTE,
  ENDS_ALWAYS,
  ENDS_BEFORE_SPACE,
  escapedWhitespace,
  foldCharacterCode,
  isQuoteCode,
  isWordCharacter,
  LETTER,
  NO_CHARACTER,
  PUNCTUATION,
  SENTENCE_END_KINDS,
  SPACE_ENDS_WORD,
  WORD_ENDS,
} from "./characters.ts";
import { BLOCK_COUNTS, BLOCK_COUNTS_SIZE, LEXICON_COUNTS_START } from "./dense-features.ts";
import {
  BUCKET_BITS,
  EMPTY_WORD_HASH,
  FEATURES_PER_LETTER_MAX,
  HASH_PRIME,
  hashWordPair,
  isBitSet,
  lexiconCategory,
  mixHash,
  NgramFeatures,
  type SummedFeatures,
  wordBucket,
} from "./feature-hashing.ts";
import {
  CATEGORY_MASK,
  CATEGORY_SHIFT,
  FEATURES_MASK,
  HASH_AT,
  LETTER_FEATURES_SHIFT,
  LETTER_SUMS_AT,
  LETTERS_PER_KEY,
  SPACED_FEATURES_SHIFT,
  SPACED_SUMS_AT,
  TRAITS_AT,
  UNKNOWN_WORD,
  type Vocabulary,
  WORD_LETTERS_MAX,
  type WordSums,
} from "./word-sums.ts";

// Splits a text into blocks of about a line and reports the features of each as table indexes: character n-grams, words
// and word pairs. One pass, no strings allocated, and independent of the chunks in which the text arrives.

export const FEATURE_BUCKETS = 1 << BUCKET_BITS;

/** A block ends with the first word after the minimum, with a sentence, or at the latest at the maximum. */
const BLOCK_CHARACTERS_MIN = 40;
const SENTENCE_CHARACTERS_MIN = 20;
export const BLOCK_CHARACTERS_MAX = 56;
/** More features than a block can have, and the number at which it ends early to leave room for its last word. */
export const BLOCK_FEATURES_MAX = 256;
const BLOCK_FEATURES_FULL = BLOCK_FEATURES_MAX - 12;
/** Up to this number of features a block has room for a word that is looked up, and for what follows it. */
const WORD_FEATURES_ROOM = BLOCK_FEATURES_FULL - 4 * WORD_LETTERS_MAX;

/** Receives each block. The arrays belong to the scanner and are overwritten by the next block. */
export type OnBlock = (
  features: Int32Array,
  size: number,
  counts: Int32Array,
  end: number,
  summedFeatures: SummedFeatures,
) => void;

const SKIP_PAIR_SALT = 0x68bc21eb;
const SENTENCE_START_HASH = 0x3ade68b1;
const LINE = 10;
const COLON = 58;
const BACKSLASH = 92;

export class FeatureScanner {
  readonly #ngrams = new NgramFeatures(BLOCK_FEATURES_MAX);
  readonly #counts = new Int32Array(BLOCK_COUNTS_SIZE);
  readonly #onBlock: OnBlock;
  readonly #vocabulary: Vocabulary;
  readonly #splitsValues: boolean;
  readonly #wordSums: WordSums | undefined;
  /** The number of characters read, and where the block began. */
  #read = 0;
  #blockStart = 0;
  /** The current word: its hash, its number of letters, and whether all are Latin. */
  #word = 0;
  #letters = 0;
  #latin = true;
  #lastWord = SENTENCE_START_HASH;
  #secondLastWord = SENTENCE_START_HASH;
  #lastKind = 0;
  #wasLowercase = false;
  #sentenceEnded = false;
  /** Whether a value was closed, so that the next letter begins another sentence. */
  #valueEnded = false;
  /** Where the sentence began. It may span several blocks. */
  #sentenceStart = 0;
  /** Whether the last character may begin an escape such as a line break in JSON, and whether it was a quote. */
  #isEscape = false;
  #isQuote = false;

  /**
   * `splitsValues`: whether each cell and value is a sentence, however short. The features are the same. `wordSums`: where
   * words are looked up. Without it all features are listed.
   */
  constructor(vocabulary: Vocabulary, onBlock: OnBlock, splitsValues = false, wordSums?: WordSums) {
    this.#vocabulary = vocabulary;
    this.#onBlock = onBlock;
    this.#splitsValues = splitsValues;
    this.#wordSums = wordSums;
    this.reset();
  }

  /** Starts a new text. */
  reset(): void {
    this.#read = 0;
    this.#blockStart = 0;
    this.#counts.fill(0);
    this.#ngrams.clear();
    this.#ngrams.startRun();
    this.#startWord();
    this.#lastWord = SENTENCE_START_HASH;
    this.#secondLastWord = SENTENCE_START_HASH;
    this.#lastKind = 0;
    this.#wasLowercase = false;
    this.#sentenceEnded = false;
    this.#valueEnded = false;
    this.#sentenceStart = 0;
    this.#isEscape = false;
    this.#isQuote = false;
  }

  read(text: string): void {
    const codes = codesOf(text);
    const { length } = text;
    const wordSums = this.#wordSums;
    for (let at = 0; at < length; at++) {
      if (this.#isEscape) {
        this.#isEscape = false;
        const escaped = escapedWhitespace(codes[at] ?? 0);
        if (escaped !== undefined) {
          this.#read++;
          this.#space(escaped);
          continue;
        }
      }
      if (this.#valueEnded && isWordCharacter(codes[at] ?? 0)) this.#endValue();
      const word = wordSums === undefined ? at : this.#readWord(codes, at, length, wordSums);
      at = word > at ? word : this.#readLetters(codes, at, length);
      if (at === length) return;
      this.#read++;
      const given = codes[at] ?? 0;
      const code = foldCharacterCode(given);
      if (code === NO_CHARACTER) this.#isQuote = isQuoteCode(given);
      else if (code === 32 || code === LINE) this.#space(code);
      else this.#letter(given, code);
      if (this.#read - this.#blockStart >= BLOCK_CHARACTERS_MAX) this.#endBlock();
    }
  }

  /** Ends the text. What is left of it is a block too. */
  finish(): void {
    this.#endWord();
    this.#endRun();
    if (this.#ngrams.count > 0 || this.#read > this.#blockStart) this.#endBlock();
  }

  /** Shows the block that is not complete yet, as if it ended here. */
  showUnfinished(show: OnBlock): void {
    if (this.#ngrams.count === 0) return;
    this.#counts[BLOCK_COUNTS.characters] = this.#read - this.#blockStart;
    show(this.#ngrams.features, this.#ngrams.size, this.#counts, this.#read, this.#ngrams);
  }

  /**
   * Reads a word of ASCII letters between a space and a space or sign, whose sums are looked up. Returns the offset where
   * it ends, or `from` if there is no such word or a block may end in it.
   */
  #readWord(codes: Uint16Array, from: number, length: number, wordSums: WordSums): number {
    const ngrams = this.#ngrams;
    if (ngrams.isInRun || ngrams.count > WORD_FEATURES_ROOM) return from;
    const lettersMax = Math.min(WORD_LETTERS_MAX, BLOCK_CHARACTERS_MAX - 1 - (this.#read - this.#blockStart));
    const most = Math.min(length, from + lettersMax + 1);
    let first = 0;
    let second = 0;
    let capitals = 0;
    let caseChanges = 0;
    let wasLowercase = false;
    let given = 0;
    let to = from;
    for (; to < most; to++) {
      given = codes[to] ?? 0;
      const letter = (given | 32) - 96;
      if (letter < 1 || letter > 26) break;
      if (to - from < LETTERS_PER_KEY) first = (first << 5) | letter;
      else second = (second << 5) | letter;
      if (given >= 97) wasLowercase = true;
      else {
        capitals++;
        if (wasLowercase) caseChanges++;
        wasLowercase = false;
      }
    }
    const ending = to === from || to === most || given >= 128 ? 0 : WORD_ENDS[given];
    if (ending === 0) return from;
    const place = wordSums.placeOf(codes, from, to, first, second);
    const { slots } = wordSums;
    const word = slots[place + HASH_AT] ?? 0;
    const traits = slots[place + TRAITS_AT] ?? 0;
    const isSpaced = ending === SPACE_ENDS_WORD;
    const features = traits >>> (isSpaced ? SPACED_FEATURES_SHIFT : LETTER_FEATURES_SHIFT);
    ngrams.addSummed(slots, place + (isSpaced ? SPACED_SUMS_AT : LETTER_SUMS_AT), features & FEATURES_MASK);
    if (!isSpaced) ngrams.startRunWith(codes, from, to);
    const counts = this.#counts;
    if (capitals > 0) {
      counts[BLOCK_COUNTS.capitals] = (counts[BLOCK_COUNTS.capitals] ?? 0) + capitals;
      counts[BLOCK_COUNTS.caseChanges] = (counts[BLOCK_COUNTS.caseChanges] ?? 0) + caseChanges;
    }
    this.#count(BLOCK_COUNTS.words);
    this.#count(BLOCK_COUNTS.latinWords);
    if ((traits & UNKNOWN_WORD) !== 0) this.#count(BLOCK_COUNTS.unknownWords);
    const category = (traits >>> CATEGORY_SHIFT) & CATEGORY_MASK;
    if (category !== 0) this.#count(LEXICON_COUNTS_START + category - 1);
    this.#addPairs(word);
    this.#wasLowercase = wasLowercase;
    this.#read += to - from;
    this.#lastKind = LETTER;
    this.#sentenceEnded = false;
    this.#isQuote = false;
    return to;
  }

  /**
   * Reads ASCII letters as long as no block can end, which is the fast path for most of a text. Returns the offset
   * where it stopped.
   */
  #readLetters(codes: Uint16Array, from: number, length: number): number {
    const room = Math.floor((BLOCK_FEATURES_FULL - this.#ngrams.count) / FEATURES_PER_LETTER_MAX);
    const left = Math.min(BLOCK_CHARACTERS_MAX - 1 - (this.#read - this.#blockStart), room);
    const most = Math.min(length, from + left);
    let word = this.#word;
    let wasLowercase = this.#wasLowercase;
    let at = from;
    for (; at < most; at++) {
      const given = codes[at] ?? 0;
      const isLowercase = given >= 97 && given <= 122;
      if (!isLowercase) {
        if (given < 65 || given > 90) break;
        this.#count(BLOCK_COUNTS.capitals);
        if (wasLowercase) this.#count(BLOCK_COUNTS.caseChanges);
      }
      wasLowercase = isLowercase;
      word = (Math.imul(word, HASH_PRIME) + (given | 32)) | 0;
    }
    if (at <= from) return from;
    if (this.#lastKind === PUNCTUATION && this.#ngrams.isInRun) this.#count(BLOCK_COUNTS.punctuationJoins);
    this.#ngrams.addLetters(codes, from, at);
    this.#word = word;
    this.#wasLowercase = wasLowercase;
    this.#letters += at - from;
    this.#read += at - from;
    this.#lastKind = LETTER;
    this.#sentenceEnded = false;
    this.#isQuote = false;
    return at;
  }

  #space(code: number): void {
    this.#endWord();
    this.#endRun();
    if (code === LINE) {
      this.#count(BLOCK_COUNTS.lines);
      this.#endSentence();
    }
    const length = this.#read - this.#blockStart;
    if (this.#valueEnded) this.#endValue();
    else if (this.#sentenceEnded && this.#read - this.#sentenceStart >= SENTENCE_CHARACTERS_MIN)
      this.#endWithSentence();
    else if (length >= BLOCK_CHARACTERS_MIN) this.#endBlock();
    this.#lastKind = 0;
    this.#wasLowercase = false;
    this.#sentenceEnded = false;
  }

  #letter(given: number, code: number): void {
    const kind = code < 128 ? CHARACTER_KINDS[code] : LETTER;
    if (kind === LETTER) {
      if (this.#lastKind === PUNCTUATION && this.#ngrams.isInRun) this.#count(BLOCK_COUNTS.punctuationJoins);
      this.#word = (Math.imul(this.#word, HASH_PRIME) + code) | 0;
      this.#letters++;
      if (code >= 128) this.#latin = false;
      if (given >= 65 && given <= 90) {
        this.#count(BLOCK_COUNTS.capitals);
        if (this.#wasLowercase) this.#count(BLOCK_COUNTS.caseChanges);
      }
      if (code === 48) {
        this.#count(BLOCK_COUNTS.digits);
        this.#latin = false;
      }
      this.#wasLowercase = given >= 97 && given <= 122;
      this.#sentenceEnded = false;
      this.#isQuote = false;
    } else {
      this.#endWord();
      this.#count(BLOCK_COUNTS.punctuation);
      this.#wasLowercase = false;
      const ends = SENTENCE_END_KINDS[code] ?? 0;
      const isValueOver = ends === ENDS_ALWAYS || (this.#isQuote && (ends === ENDS_AFTER_QUOTE || code === COLON));
      this.#valueEnded ||= isValueOver;
      this.#isQuote = isQuoteCode(code);
      if (isValueOver || ends === ENDS_BEFORE_SPACE) this.#endSentence();
      this.#isEscape = code === BACKSLASH;
    }
    this.#lastKind = kind ?? LETTER;
    // Full-width sentence ends also end sentences; otherwise they count as letters.
    if (code === 0x3002) this.#endSentence();
    this.#ngrams.add(code);
    if (this.#ngrams.count > BLOCK_FEATURES_FULL) this.#endBlock();
  }

  #endRun(): void {
    if (!this.#ngrams.isInRun) return;
    this.#ngrams.add(32);
    if (this.#ngrams.count > BLOCK_FEATURES_FULL) this.#endBlock();
    this.#ngrams.startRun();
  }

  #endWord(): void {
    if (this.#letters === 0) return;
    const ngrams = this.#ngrams;
    const word = mixHash(this.#word);
    const place = wordBucket(word);
    ngrams.push(place);
    this.#count(BLOCK_COUNTS.words);
    if (this.#latin) {
      this.#count(BLOCK_COUNTS.latinWords);
      if (!isBitSet(this.#vocabulary.familiar, place)) this.#count(BLOCK_COUNTS.unknownWords);
    }
    this.#lookUp(word);
    this.#addPairs(word);
    this.#startWord();
  }

  /** Adds the pairs that end with this word: with the last one, and with the one before. */
  #addPairs(word: number): void {
    const pair = hashWordPair(this.#lastWord, word);
    this.#ngrams.push(wordBucket(pair));
    this.#ngrams.push(wordBucket(mixHash(Math.imul(this.#secondLastWord, 31) ^ word ^ SKIP_PAIR_SALT)));
    this.#lookUp(pair);
    this.#secondLastWord = this.#lastWord;
    this.#lastWord = word;
  }

  #lookUp(hash: number): void {
    const category = this.#wordSums?.lexiconCategory(hash) ?? lexiconCategory(this.#vocabulary, hash);
    if (category >= 0) this.#count(LEXICON_COUNTS_START + category);
  }

  #count(what: number): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + 1;
  }

  #endSentence(): void {
    this.#sentenceEnded = true;
    this.#lastWord = SENTENCE_START_HASH;
    this.#secondLastWord = SENTENCE_START_HASH;
  }

  /** Text follows a closed value. */
  #endValue(): void {
    this.#valueEnded = false;
    if (this.#splitsValues || this.#read - this.#sentenceStart >= SENTENCE_CHARACTERS_MIN) this.#endWithSentence();
  }

  #endWithSentence(): void {
    this.#count(BLOCK_COUNTS.sentenceEnds);
    this.#endBlock();
    this.#sentenceStart = this.#read;
  }

  #endBlock(): void {
    this.#counts[BLOCK_COUNTS.characters] = this.#read - this.#blockStart;
    this.#onBlock(this.#ngrams.features, this.#ngrams.size, this.#counts, this.#read, this.#ngrams);
    const counts = this.#counts;
    for (let at = 0; at < BLOCK_COUNTS_SIZE; at++) counts[at] = 0;
    this.#ngrams.clear();
    this.#blockStart = this.#read;
  }

  #startWord(): void {
    this.#word = EMPTY_WORD_HASH;
    this.#letters = 0;
    this.#latin = true;
  }
}
