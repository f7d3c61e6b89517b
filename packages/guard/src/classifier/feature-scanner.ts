import { isSet } from "./bit-table.ts";
import { COUNTED, COUNTS, LEXICON_FROM } from "./block-counts.ts";
import { foldLetter, NOTHING } from "./fold-letter.ts";
import { isLetter, KIND, LETTER, SIGN } from "./letter-kinds.ts";
import { MARKS_OF_A_LETTER, PieceMarks, PLACE_BITS, PRIME } from "./piece-marks.ts";
import { AFTER_QUOTE, ALWAYS, BEFORE_SPACE, ENDS, escapedBy, isQuoteSign } from "./sentence-signs.ts";
import { hashOfPair, mixed, NO_LETTERS, placeOfWord } from "./word-hash.ts";

/**
 * Cuts a text into blocks of about a line and tells the marks of each, as places in a table: pieces of words, words and
 * pairs of words. One pass, no strings made, and the same whatever pieces the text arrives in.
 */

export const PLACES = 1 << PLACE_BITS;

/** A block ends with the first word after so many characters, or with a sentence, and at the latest here. */
const BLOCK_LEAST = 40;
const SENTENCE_LEAST = 20;
export const BLOCK_MOST = 56;
/** More marks than a block can have, and those with which it ends before its last word is told. */
export const MARKS_MOST = 256;
const MARKS_FULL = MARKS_MOST - 12;

/** What the scanner knows of single words. */
export interface Vocabulary {
  /** One bit a place: whether a word of Latin letters was met in training. */
  readonly familiar: Uint8Array;
  /** Hashes of words and pairs, open addressing, 0 for none; and the class of each. */
  readonly lexicon: Uint32Array;
  readonly classes: Uint8Array;
}

/** Whoever takes the blocks. The arrays are the scanner's own and change with the next block. */
export type TakeBlock = (marks: Int32Array, size: number, counts: Int32Array, end: number) => void;

const GAP = 0x68bc21eb;
const SENTENCE_START = 0x3ade68b1;

const LINE = 10;
const COLON = 58;
const BACKSLASH = 92;

export class WordScanner {
  readonly #pieces = new PieceMarks(MARKS_MOST);
  readonly #counts = new Int32Array(COUNTED);
  readonly #take: TakeBlock;
  readonly #vocabulary: Vocabulary;
  readonly #cutsValues: boolean;
  /** Characters read so far, and where the block began. */
  #read = 0;
  #blockStart = 0;
  /** The word that is being read: its hash, its letters, and whether all are Latin. */
  #word = 0;
  #letters = 0;
  #latin = true;
  #last = SENTENCE_START;
  #beforeLast = SENTENCE_START;
  #lastKind = 0;
  #wasSmall = false;
  #sentenceEnded = false;
  /** Whether a value was closed, so that the next letter begins another sentence. */
  #valueEnded = false;
  /** Where the sentence began: it may have several blocks. */
  #sentenceStart = 0;
  /** Whether the last sign may be the first half of an escape, as of a line break in JSON; and whether it was a quote. */
  #isEscape = false;
  #isQuote = false;

  /** `cutsValues`: whether each cell and value is a sentence, however short it is. The marks are the same. */
  constructor(vocabulary: Vocabulary, take: TakeBlock, cutsValues = false) {
    this.#vocabulary = vocabulary;
    this.#take = take;
    this.#cutsValues = cutsValues;
    this.start();
  }

  /** Forgets what was read, for the next text. */
  start(): void {
    this.#read = 0;
    this.#blockStart = 0;
    this.#counts.fill(0);
    this.#pieces.clear();
    this.#pieces.startRun();
    this.#startWord();
    this.#last = SENTENCE_START;
    this.#beforeLast = SENTENCE_START;
    this.#lastKind = 0;
    this.#wasSmall = false;
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
        const escaped = escapedBy(text.charCodeAt(at));
        if (escaped !== undefined) {
          this.#read++;
          this.#space(escaped);
          continue;
        }
      }
      if (this.#valueEnded && isLetter(text.charCodeAt(at))) this.#endValue();
      at = this.#readLetters(text, at);
      if (at === text.length) return;
      this.#read++;
      const given = text.charCodeAt(at);
      const code = foldLetter(given);
      if (code === NOTHING) this.#isQuote = isQuoteSign(given);
      else if (code === 32 || code === LINE) this.#space(code);
      else this.#letter(given, code);
      if (this.#read - this.#blockStart >= BLOCK_MOST) this.#endBlock();
    }
  }

  /** The end of the text: what is left of it is a block as well. */
  finish(): void {
    this.#endWord();
    this.#endRun();
    if (this.#pieces.size > 0 || this.#read > this.#blockStart) this.#endBlock();
  }

  /** Reads on while there are plain letters and no block can end, as in most of a text. Gives back where that is over. */
  #readLetters(text: string, from: number): number {
    const room = Math.floor((MARKS_FULL - this.#pieces.size) / MARKS_OF_A_LETTER);
    const left = Math.min(BLOCK_MOST - 1 - (this.#read - this.#blockStart), room);
    const most = Math.min(text.length, from + left);
    let word = this.#word;
    let wasSmall = this.#wasSmall;
    let at = from;
    for (; at < most; at++) {
      const given = text.charCodeAt(at);
      const isSmall = given >= 97 && given <= 122;
      if (!isSmall) {
        if (given < 65 || given > 90) break;
        this.#count(COUNTS.capitals);
        if (wasSmall) this.#count(COUNTS.humps);
      }
      wasSmall = isSmall;
      word = (Math.imul(word, PRIME) + (given | 32)) | 0;
    }
    if (at <= from) return from;
    if (this.#lastKind === SIGN && this.#pieces.isInRun) this.#count(COUNTS.junctions);
    this.#pieces.addLetters(text, from, at);
    this.#word = word;
    this.#wasSmall = wasSmall;
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
      this.#count(COUNTS.lines);
      this.#endSentence();
    }
    const length = this.#read - this.#blockStart;
    if (this.#valueEnded) this.#endValue();
    else if (this.#sentenceEnded && this.#isSentence) this.#endWithSentence();
    else if (length >= BLOCK_LEAST) this.#endBlock();
    this.#lastKind = 0;
    this.#wasSmall = false;
    this.#sentenceEnded = false;
  }

  #letter(given: number, code: number): void {
    const kind = code < 128 ? KIND[code] : LETTER;
    if (kind === LETTER) {
      if (this.#lastKind === SIGN && this.#pieces.isInRun) this.#count(COUNTS.junctions);
      this.#word = (Math.imul(this.#word, PRIME) + code) | 0;
      this.#letters++;
      if (code >= 128) this.#latin = false;
      if (given >= 65 && given <= 90) {
        this.#count(COUNTS.capitals);
        if (this.#wasSmall) this.#count(COUNTS.humps);
      }
      if (code === 48) {
        this.#count(COUNTS.digits);
        this.#latin = false;
      }
      this.#wasSmall = given >= 97 && given <= 122;
      this.#sentenceEnded = false;
      this.#isQuote = false;
    } else {
      this.#endWord();
      this.#count(COUNTS.signs);
      this.#wasSmall = false;
      const ends = ENDS[code] ?? 0;
      const isValueOver = ends === ALWAYS || (this.#isQuote && (ends === AFTER_QUOTE || code === COLON));
      this.#valueEnded ||= isValueOver;
      this.#isQuote = isQuoteSign(code);
      if (isValueOver || ends === BEFORE_SPACE) this.#endSentence();
      this.#isEscape = code === BACKSLASH;
    }
    this.#lastKind = kind ?? LETTER;
    // 。！？ end sentences as well, and are letters to everything else.
    if (code === 0x3002) this.#endSentence();
    this.#pieces.add(code);
    if (this.#pieces.size > MARKS_FULL) this.#endBlock();
  }

  #endRun(): void {
    if (!this.#pieces.isInRun) return;
    this.#pieces.add(32);
    if (this.#pieces.size > MARKS_FULL) this.#endBlock();
    this.#pieces.startRun();
  }

  #endWord(): void {
    if (this.#letters === 0) return;
    const pieces = this.#pieces;
    const word = mixed(this.#word);
    const place = placeOfWord(word);
    const pair = hashOfPair(this.#last, word);
    pieces.push(place);
    pieces.push(placeOfWord(pair));
    pieces.push(placeOfWord(mixed(Math.imul(this.#beforeLast, 31) ^ word ^ GAP)));
    this.#count(COUNTS.words);
    if (this.#latin) {
      this.#count(COUNTS.latinWords);
      if (!isSet(this.#vocabulary.familiar, place)) this.#count(COUNTS.strangeWords);
    }
    this.#lookUp(word);
    this.#lookUp(pair);
    this.#beforeLast = this.#last;
    this.#last = word | 0;
    this.#startWord();
  }

  #lookUp(hash: number): void {
    const { lexicon, classes } = this.#vocabulary;
    const mask = lexicon.length - 1;
    for (let at = hash & mask; lexicon[at] !== 0; at = (at + 1) & mask) {
      if (lexicon[at] !== hash) continue;
      this.#count(LEXICON_FROM + (classes[at] ?? 0));
      return;
    }
  }

  #count(what: number): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + 1;
  }

  #endSentence(): void {
    this.#sentenceEnded = true;
    this.#last = SENTENCE_START;
    this.#beforeLast = SENTENCE_START;
  }

  /** Something follows what was closed. */
  #endValue(): void {
    this.#valueEnded = false;
    if (this.#cutsValues || this.#isSentence) this.#endWithSentence();
  }

  get #isSentence(): boolean {
    return this.#read - this.#sentenceStart >= SENTENCE_LEAST;
  }

  #endWithSentence(): void {
    this.#count(COUNTS.ends);
    this.#endBlock();
    this.#sentenceStart = this.#read;
  }

  #endBlock(): void {
    this.#counts[COUNTS.characters] = this.#read - this.#blockStart;
    this.#take(this.#pieces.marks, this.#pieces.size, this.#counts, this.#read);
    this.#counts.fill(0);
    this.#pieces.clear();
    this.#blockStart = this.#read;
  }

  #startWord(): void {
    this.#word = NO_LETTERS;
    this.#letters = 0;
    this.#latin = true;
  }
}
