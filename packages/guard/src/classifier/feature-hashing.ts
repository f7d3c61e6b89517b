import { foldCharacterCode, NO_CHARACTER } from "./characters.ts";

/** The marks of the pieces of words: every three, four and five letters in a row, and two where words have no spaces between them. */

export const BUCKET_BITS = 17;
export const HASH_PRIME = 0x01000193;
const HASH_MIX = 0x9e3779b1;
const BUCKET_SHIFT = 32 - BUCKET_BITS;
const FOUR_GRAM_SALT = 0x1b873593;
const FIVE_GRAM_SALT = 0x4cf5ad43;
const TWO_GRAM_SALT = 0x38495ab5;
const SPACE = 32;
/** From here on, scripts that are written without spaces, whose pairs of letters are words. */
const UNSPACED_SCRIPTS_START = 0x0e00;
/** A plain letter ends so many pieces at the most. */
export const FEATURES_PER_LETTER_MAX = 3;

/** Collects the marks of a block. Hashes are kept as whole numbers of 32 bits, which take no memory of their own. */
export class NgramFeatures {
  readonly features: Int32Array;
  size = 0;
  /** Hashes of the last one to four letters of what stands between two spaces, and how many it has, the space included. */
  #one = 0;
  #two = 0;
  #three = 0;
  #four = 0;
  #run = 0;

  constructor(most: number) {
    this.features = new Int32Array(most);
  }

  /** Whether something was read since the last space. */
  get isInRun(): boolean {
    return this.#run > 1;
  }

  clear(): void {
    this.size = 0;
  }

  startRun(): void {
    this.#one = SPACE;
    this.#two = 0;
    this.#three = 0;
    this.#four = 0;
    this.#run = 1;
  }

  push(mark: number): void {
    this.features[this.size++] = mark;
  }

  /** The pieces that end with this letter. */
  add(code: number): void {
    const five = (Math.imul(this.#four, HASH_PRIME) + code) | 0;
    const four = (Math.imul(this.#three, HASH_PRIME) + code) | 0;
    const three = (Math.imul(this.#two, HASH_PRIME) + code) | 0;
    const two = (Math.imul(this.#one, HASH_PRIME) + code) | 0;
    const run = ++this.#run;
    if (run >= 3) this.push(Math.imul(three, HASH_MIX) >>> BUCKET_SHIFT);
    if (run >= 4) this.push(Math.imul(four ^ FOUR_GRAM_SALT, HASH_MIX) >>> BUCKET_SHIFT);
    if (run >= 5) this.push(Math.imul(five ^ FIVE_GRAM_SALT, HASH_MIX) >>> BUCKET_SHIFT);
    if (code >= UNSPACED_SCRIPTS_START && run >= 2)
      this.push(Math.imul(two ^ TWO_GRAM_SALT, HASH_MIX) >>> BUCKET_SHIFT);
    this.#four = four;
    this.#three = three;
    this.#two = two;
    this.#one = code;
  }

  /** The same for several plain letters, in whichever case. */
  addLetters(text: string, from: number, to: number): void {
    const { features: marks } = this;
    let { size } = this;
    let one = this.#one;
    let two = this.#two;
    let three = this.#three;
    let four = this.#four;
    let run = this.#run;
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at) | 32;
      const five = (Math.imul(four, HASH_PRIME) + code) | 0;
      four = (Math.imul(three, HASH_PRIME) + code) | 0;
      three = (Math.imul(two, HASH_PRIME) + code) | 0;
      two = (Math.imul(one, HASH_PRIME) + code) | 0;
      one = code;
      run++;
      if (run >= 3) marks[size++] = Math.imul(three, HASH_MIX) >>> BUCKET_SHIFT;
      if (run >= 4) marks[size++] = Math.imul(four ^ FOUR_GRAM_SALT, HASH_MIX) >>> BUCKET_SHIFT;
      if (run >= 5) marks[size++] = Math.imul(five ^ FIVE_GRAM_SALT, HASH_MIX) >>> BUCKET_SHIFT;
    }
    this.size = size;
    this.#one = one;
    this.#two = two;
    this.#three = three;
    this.#four = four;
    this.#run = run;
  }
}

/** Words and pairs of words as numbers, the same wherever they are met. */

/** The hash of a word before its first letter. */
export const EMPTY_WORD_HASH = 0x51ed270b;
const WORD_PAIR_SALT = 0x2545f491;

export function hashWord(word: string): number {
  let hash = EMPTY_WORD_HASH;
  for (let at = 0; at < word.length; at++) {
    const code = foldCharacterCode(word.charCodeAt(at));
    if (code !== NO_CHARACTER) hash = Math.imul(hash, HASH_PRIME) + code;
  }
  return mixHash(hash);
}

export function hashWordPair(first: number, second: number): number {
  return mixHash(Math.imul(first, 31) ^ second ^ WORD_PAIR_SALT);
}

/** Never 0, which stands for no word. */
export function mixHash(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  bits ^= bits >>> 12;
  return (bits === 0 ? 1 : bits) >>> 0;
}

export function wordBucket(hash: number): number {
  return Math.imul(hash, HASH_MIX) >>> (32 - BUCKET_BITS);
}

/** One bit a place. */

export function isBitSet(bits: Uint8Array, place: number): boolean {
  return (((bits[place >>> 3] ?? 0) >>> (place & 7)) & 1) === 1;
}

export function setBit(bits: Uint8Array, place: number): void {
  bits[place >>> 3] = (bits[place >>> 3] ?? 0) | (1 << (place & 7));
}
