import { foldLetter, NOTHING } from "./fold-letter.ts";

/**
 * Cuts a text into blocks of about a line and tells the marks of each, as places in a table: pieces of words, words and
 * pairs of words. One pass, no strings made, and the same whatever pieces the text arrives in.
 */

export const PLACE_BITS = 17;
export const PLACES = 1 << PLACE_BITS;

/** A block ends with the first word after so many characters, or with a sentence, and at the latest here. */
const BLOCK_LEAST = 40;
const SENTENCE_LEAST = 20;
export const BLOCK_MOST = 56;
/** More marks than a block can have. */
export const MARKS_MOST = 256;

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
} as const;
/** After the counts: how many words of each class of the lexicon. */
export const LEXICON_FROM = 10;
export const LEXICON_CLASSES = 32;
export const COUNTED = LEXICON_FROM + LEXICON_CLASSES;

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

const PRIME = 0x01000193;
const MIX = 0x9e3779b1;
const WORD = 0x51ed270b;
const PAIR = 0x2545f491;
const GAP = 0x68bc21eb;
const SENTENCE_START = 0x3ade68b1;
const SHIFT = 32 - PLACE_BITS;

const LETTER = 1;
const SIGN = 2;
const KIND = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-z0-9_]/.test(String.fromCharCode(code)) ? LETTER : SIGN,
);
/** From here on, scripts that are written without spaces, whose pairs of letters are words. */
const UNSPACED = 0x0e00;

export function hashOfWord(word: string): number {
  let hash = WORD;
  for (let at = 0; at < word.length; at++) {
    const code = foldLetter(word.charCodeAt(at));
    if (code !== NOTHING) hash = Math.imul(hash, PRIME) + code;
  }
  return mixed(hash);
}

export function hashOfPair(first: number, second: number): number {
  return mixed(Math.imul(first, 31) ^ second ^ PAIR);
}

/** Never 0, which stands for no word. */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  bits ^= bits >>> 12;
  return (bits === 0 ? 1 : bits) >>> 0;
}

export function placeOfWord(hash: number): number {
  return Math.imul(hash, MIX) >>> SHIFT;
}

export class WordScanner {
  readonly #marks = new Int32Array(MARKS_MOST);
  readonly #counts = new Int32Array(COUNTED);
  readonly #take: TakeBlock;
  readonly #vocabulary: Vocabulary;
  #size = 0;
  /** Characters read so far, and where the block began. */
  #read = 0;
  #blockStart = 0;
  /** Hashes of the last one to four letters of what stands between two spaces, and how many it has, the space included. */
  #one = 0;
  #two = 0;
  #three = 0;
  #four = 0;
  #run = 0;
  /** The word that is being read: its hash, its letters, and whether all are Latin. */
  #word = 0;
  #letters = 0;
  #latin = true;
  #last = SENTENCE_START;
  #beforeLast = SENTENCE_START;
  #lastKind = 0;
  #wasSmall = false;
  #sentenceEnded = false;

  constructor(vocabulary: Vocabulary, take: TakeBlock) {
    this.#vocabulary = vocabulary;
    this.#take = take;
    this.start();
  }

  /** Forgets what was read, for the next text. */
  start(): void {
    this.#size = 0;
    this.#read = 0;
    this.#blockStart = 0;
    this.#counts.fill(0);
    this.#startRun();
    this.#startWord();
    this.#last = SENTENCE_START;
    this.#beforeLast = SENTENCE_START;
    this.#lastKind = 0;
    this.#wasSmall = false;
    this.#sentenceEnded = false;
  }

  read(text: string): void {
    for (let at = 0; at < text.length; at++) {
      this.#read++;
      const given = text.charCodeAt(at);
      const code = foldLetter(given);
      if (code === NOTHING) continue;
      if (code === 32 || code === 10) this.#space(code);
      else this.#letter(given, code);
      if (this.#read - this.#blockStart >= BLOCK_MOST) this.#endBlock();
    }
  }

  /** The end of the text: what is left of it is a block as well. */
  finish(): void {
    this.#endWord();
    this.#endRun();
    if (this.#size > 0 || this.#read > this.#blockStart) this.#endBlock();
  }

  #space(code: number): void {
    this.#endWord();
    this.#endRun();
    const counts = this.#counts;
    if (code === 10) {
      counts[COUNTS.lines] = (counts[COUNTS.lines] ?? 0) + 1;
      this.#endSentence();
    }
    const length = this.#read - this.#blockStart;
    if (length >= BLOCK_LEAST || (this.#sentenceEnded && length >= SENTENCE_LEAST)) this.#endBlock();
    this.#lastKind = 0;
    this.#wasSmall = false;
    this.#sentenceEnded = false;
  }

  #letter(given: number, code: number): void {
    const counts = this.#counts;
    const kind = code < 128 ? KIND[code] : LETTER;
    if (kind === LETTER) {
      if (this.#lastKind === SIGN && this.#run > 1)
        counts[COUNTS.junctions] = (counts[COUNTS.junctions] ?? 0) + 1;
      this.#word = Math.imul(this.#word, PRIME) + code;
      this.#letters++;
      if (code >= 128) this.#latin = false;
      const isCapital = given >= 65 && given <= 90;
      if (isCapital) {
        counts[COUNTS.capitals] = (counts[COUNTS.capitals] ?? 0) + 1;
        if (this.#wasSmall) counts[COUNTS.humps] = (counts[COUNTS.humps] ?? 0) + 1;
      }
      if (code === 48) {
        counts[COUNTS.digits] = (counts[COUNTS.digits] ?? 0) + 1;
        this.#latin = false;
      }
      this.#wasSmall = given >= 97 && given <= 122;
      this.#sentenceEnded = false;
    } else {
      this.#endWord();
      counts[COUNTS.signs] = (counts[COUNTS.signs] ?? 0) + 1;
      this.#wasSmall = false;
      if (code === 46 || code === 33 || code === 63 || code === 58) this.#endSentence();
    }
    this.#lastKind = kind ?? LETTER;
    // 。！？ end sentences as well, and are letters to everything else.
    if (code === 0x3002) this.#endSentence();
    this.#mark(code);
  }

  /** The pieces that end with this letter. */
  #mark(code: number): void {
    const marks = this.#marks;
    const five = Math.imul(this.#four, PRIME) + code;
    const four = Math.imul(this.#three, PRIME) + code;
    const three = Math.imul(this.#two, PRIME) + code;
    const two = Math.imul(this.#one, PRIME) + code;
    const run = ++this.#run;
    if (run >= 3) {
      marks[this.#size++] = Math.imul(three, MIX) >>> SHIFT;
      if (run >= 4) {
        marks[this.#size++] = Math.imul(four ^ 0x1b873593, MIX) >>> SHIFT;
        if (run >= 5) marks[this.#size++] = Math.imul(five ^ 0x4cf5ad43, MIX) >>> SHIFT;
      }
    }
    if (code >= UNSPACED && run >= 2) marks[this.#size++] = Math.imul(two ^ 0x38495ab5, MIX) >>> SHIFT;
    this.#four = four;
    this.#three = three;
    this.#two = two;
    this.#one = code;
    if (this.#size > MARKS_MOST - 12) this.#endBlock();
  }

  #endRun(): void {
    if (this.#run > 1) {
      this.#mark(32);
      this.#startRun();
    }
  }

  #endWord(): void {
    if (this.#letters === 0) return;
    const marks = this.#marks;
    const counts = this.#counts;
    const word = mixed(this.#word);
    const place = placeOfWord(word);
    const pair = hashOfPair(this.#last, word);
    marks[this.#size++] = place;
    marks[this.#size++] = placeOfWord(pair);
    marks[this.#size++] = placeOfWord(mixed(Math.imul(this.#beforeLast, 31) ^ word ^ GAP));
    counts[COUNTS.words] = (counts[COUNTS.words] ?? 0) + 1;
    if (this.#latin) {
      counts[COUNTS.latinWords] = (counts[COUNTS.latinWords] ?? 0) + 1;
      if ((((this.#vocabulary.familiar[place >>> 3] ?? 0) >>> (place & 7)) & 1) === 0)
        counts[COUNTS.strangeWords] = (counts[COUNTS.strangeWords] ?? 0) + 1;
    }
    this.#lookUp(word);
    this.#lookUp(pair);
    this.#beforeLast = this.#last;
    this.#last = word;
    this.#startWord();
  }

  #lookUp(hash: number): void {
    const { lexicon, classes } = this.#vocabulary;
    const mask = lexicon.length - 1;
    for (let at = hash & mask; lexicon[at] !== 0; at = (at + 1) & mask) {
      if (lexicon[at] !== hash) continue;
      const count = LEXICON_FROM + (classes[at] ?? 0);
      this.#counts[count] = (this.#counts[count] ?? 0) + 1;
      return;
    }
  }

  #endSentence(): void {
    this.#sentenceEnded = true;
    this.#last = SENTENCE_START;
    this.#beforeLast = SENTENCE_START;
  }

  #endBlock(): void {
    this.#counts[COUNTS.characters] = this.#read - this.#blockStart;
    this.#take(this.#marks, this.#size, this.#counts, this.#read);
    this.#counts.fill(0);
    this.#size = 0;
    this.#blockStart = this.#read;
  }

  #startRun(): void {
    this.#one = 32;
    this.#two = 0;
    this.#three = 0;
    this.#four = 0;
    this.#run = 1;
  }

  #startWord(): void {
    this.#word = WORD;
    this.#letters = 0;
    this.#latin = true;
  }
}
