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
} from "./characters.ts";
import { BLOCK_COUNTS, BLOCK_COUNTS_SIZE, LEXICON_COUNTS_START } from "./dense-features.ts";
import {
  BUCKET_BITS,
  EMPTY_WORD_HASH,
  FEATURES_PER_LETTER_MAX,
  HASH_PRIME,
  hashWordPair,
  isBitSet,
  mixHash,
  NgramFeatures,
  wordBucket,
} from "./feature-hashing.ts";

/**
 * Cuts a text into blocks of about a line and tells the marks of each, as places in a table: pieces of words, words and
 * pairs of words. One pass, no strings made, and the same whatever pieces the text arrives in.
 */

export const FEATURE_BUCKETS = 1 << BUCKET_BITS;

/** A block ends with the first word after so many characters, or with a sentence, and at the latest here. */
const BLOCK_CHARACTERS_MIN = 40;
const SENTENCE_CHARACTERS_MIN = 20;
export const BLOCK_CHARACTERS_MAX = 56;
/** More marks than a block can have, and those with which it ends before its last word is told. */
export const BLOCK_FEATURES_MAX = 256;
const BLOCK_FEATURES_FULL = BLOCK_FEATURES_MAX - 12;

/** What the scanner knows of single words. */
export interface Vocabulary {
  /** One bit a place: whether a word of Latin letters was met in training. */
  readonly familiar: Uint8Array;
  /** Hashes of words and pairs, open addressing, 0 for none; and the class of each. */
  readonly lexicon: Uint32Array;
  readonly lexiconCategories: Uint8Array;
}

/** Whoever takes the blocks. The arrays are the scanner's own and change with the next block. */
export type OnBlock = (marks: Int32Array, size: number, counts: Int32Array, end: number) => void;

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
  /** Characters read so far, and where the block began. */
  #read = 0;
  #blockStart = 0;
  /** The word that is being read: its hash, its letters, and whether all are Latin. */
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
  /** Where the sentence began: it may have several blocks. */
  #sentenceStart = 0;
  /** Whether the last sign may be the first half of an escape, as of a line break in JSON; and whether it was a quote. */
  #isEscape = false;
  #isQuote = false;

  /** `cutsValues`: whether each cell and value is a sentence, however short it is. The marks are the same. */
  constructor(vocabulary: Vocabulary, take: OnBlock, cutsValues = false) {
    this.#vocabulary = vocabulary;
    this.#onBlock = take;
    this.#splitsValues = cutsValues;
    this.reset();
  }

  /** Forgets what was read, for the next text. */
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
    for (let at = 0; at < text.length; at++) {
      if (this.#isEscape) {
        this.#isEscape = false;
        const escaped = escapedWhitespace(text.charCodeAt(at));
        if (escaped !== undefined) {
          this.#read++;
          this.#space(escaped);
          continue;
        }
      }
      if (this.#valueEnded && isWordCharacter(text.charCodeAt(at))) this.#endValue();
      at = this.#readLetters(text, at);
      if (at === text.length) return;
      this.#read++;
      const given = text.charCodeAt(at);
      const code = foldCharacterCode(given);
      if (code === NO_CHARACTER) this.#isQuote = isQuoteCode(given);
      else if (code === 32 || code === LINE) this.#space(code);
      else this.#letter(given, code);
      if (this.#read - this.#blockStart >= BLOCK_CHARACTERS_MAX) this.#endBlock();
    }
  }

  /** The end of the text: what is left of it is a block as well. */
  finish(): void {
    this.#endWord();
    this.#endRun();
    if (this.#ngrams.size > 0 || this.#read > this.#blockStart) this.#endBlock();
  }

  /** Reads on while there are plain letters and no block can end, as in most of a text. Gives back where that is over. */
  #readLetters(text: string, from: number): number {
    const room = Math.floor((BLOCK_FEATURES_FULL - this.#ngrams.size) / FEATURES_PER_LETTER_MAX);
    const left = Math.min(BLOCK_CHARACTERS_MAX - 1 - (this.#read - this.#blockStart), room);
    const most = Math.min(text.length, from + left);
    let word = this.#word;
    let wasSmall = this.#wasLowercase;
    let at = from;
    for (; at < most; at++) {
      const given = text.charCodeAt(at);
      const isSmall = given >= 97 && given <= 122;
      if (!isSmall) {
        if (given < 65 || given > 90) break;
        this.#count(BLOCK_COUNTS.capitals);
        if (wasSmall) this.#count(BLOCK_COUNTS.caseChanges);
      }
      wasSmall = isSmall;
      word = (Math.imul(word, HASH_PRIME) + (given | 32)) | 0;
    }
    if (at <= from) return from;
    if (this.#lastKind === PUNCTUATION && this.#ngrams.isInRun) this.#count(BLOCK_COUNTS.punctuationJoins);
    this.#ngrams.addLetters(text, from, at);
    this.#word = word;
    this.#wasLowercase = wasSmall;
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
    else if (this.#sentenceEnded && this.#isSentence) this.#endWithSentence();
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
    // 。！？ end sentences as well, and are letters to everything else.
    if (code === 0x3002) this.#endSentence();
    this.#ngrams.add(code);
    if (this.#ngrams.size > BLOCK_FEATURES_FULL) this.#endBlock();
  }

  #endRun(): void {
    if (!this.#ngrams.isInRun) return;
    this.#ngrams.add(32);
    if (this.#ngrams.size > BLOCK_FEATURES_FULL) this.#endBlock();
    this.#ngrams.startRun();
  }

  #endWord(): void {
    if (this.#letters === 0) return;
    const pieces = this.#ngrams;
    const word = mixHash(this.#word);
    const place = wordBucket(word);
    const pair = hashWordPair(this.#lastWord, word);
    pieces.push(place);
    pieces.push(wordBucket(pair));
    pieces.push(wordBucket(mixHash(Math.imul(this.#secondLastWord, 31) ^ word ^ SKIP_PAIR_SALT)));
    this.#count(BLOCK_COUNTS.words);
    if (this.#latin) {
      this.#count(BLOCK_COUNTS.latinWords);
      if (!isBitSet(this.#vocabulary.familiar, place)) this.#count(BLOCK_COUNTS.unknownWords);
    }
    this.#lookUp(word);
    this.#lookUp(pair);
    this.#secondLastWord = this.#lastWord;
    this.#lastWord = word | 0;
    this.#startWord();
  }

  #lookUp(hash: number): void {
    const { lexicon, lexiconCategories: classes } = this.#vocabulary;
    const mask = lexicon.length - 1;
    for (let at = hash & mask; lexicon[at] !== 0; at = (at + 1) & mask) {
      if (lexicon[at] !== hash) continue;
      this.#count(LEXICON_COUNTS_START + (classes[at] ?? 0));
      return;
    }
  }

  #count(what: number): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + 1;
  }

  #endSentence(): void {
    this.#sentenceEnded = true;
    this.#lastWord = SENTENCE_START_HASH;
    this.#secondLastWord = SENTENCE_START_HASH;
  }

  /** Something follows what was closed. */
  #endValue(): void {
    this.#valueEnded = false;
    if (this.#splitsValues || this.#isSentence) this.#endWithSentence();
  }

  get #isSentence(): boolean {
    return this.#read - this.#sentenceStart >= SENTENCE_CHARACTERS_MIN;
  }

  #endWithSentence(): void {
    this.#count(BLOCK_COUNTS.sentenceEnds);
    this.#endBlock();
    this.#sentenceStart = this.#read;
  }

  #endBlock(): void {
    this.#counts[BLOCK_COUNTS.characters] = this.#read - this.#blockStart;
    this.#onBlock(this.#ngrams.features, this.#ngrams.size, this.#counts, this.#read);
    this.#counts.fill(0);
    this.#ngrams.clear();
    this.#blockStart = this.#read;
  }

  #startWord(): void {
    this.#word = EMPTY_WORD_HASH;
    this.#letters = 0;
    this.#latin = true;
  }
}
