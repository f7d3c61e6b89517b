import { foldCharacterCode, NO_CHARACTER } from "./characters.ts";
import { addPackedSums, PACKED_SUMS } from "./row-sums.ts";

// Hashed n-grams of characters: all of three, four and five letters, and of two in scripts without spaces.

export const BUCKET_BITS = 17;
export const HASH_PRIME = 0x01000193;
const HASH_MIX = 0x9e3779b1;
const BUCKET_SHIFT = 32 - BUCKET_BITS;
const FOUR_GRAM_SALT = 0x1b873593;
const FIVE_GRAM_SALT = 0x4cf5ad43;
const TWO_GRAM_SALT = 0x38495ab5;
const SPACE = 32;
/** From this code on scripts are written without spaces, so that two letters can be a word. */
const UNSPACED_SCRIPTS_START = 0x0e00;
/** An ASCII letter ends at most this many n-grams. */
export const FEATURES_PER_LETTER_MAX = 3;

/** Collects the hashed features of a block. Hashes are 32-bit integers, so that V8 allocates nothing for them. */
export class NgramFeatures {
  /** The first `size` are the features of the block. */
  readonly features: Int32Array;
  size = 0;
  /** The rows of further features, already summed, and their number. */
  readonly sums = new Int32Array(PACKED_SUMS);
  summed = 0;
  /** Hashes of the last one to four letters since the last space, and the length of that run including the space. */
  #one = 0;
  #two = 0;
  #three = 0;
  #four = 0;
  #run = 0;

  constructor(most: number) {
    this.features = new Int32Array(most);
  }

  /** The number of all features. */
  get count(): number {
    return this.size + this.summed;
  }

  /** Whether a character was read since the last space. */
  get isInRun(): boolean {
    return this.#run > 1;
  }

  clear(): void {
    this.size = 0;
    this.summed = 0;
    for (let word = 0; word < PACKED_SUMS; word++) this.sums[word] = 0;
  }

  /** Adds features whose rows are already summed. */
  addSummed(sums: Int32Array, at: number, count: number): void {
    addPackedSums(sums, at, this.sums);
    this.summed += count;
  }

  /** Begins a run with ASCII letters whose n-grams are already summed. */
  startRunWith(codes: Uint16Array, from: number, to: number): void {
    this.startRun();
    for (let at = Math.max(from, to - 4); at < to; at++) {
      const code = (codes[at] ?? 0) | 32;
      this.#four = (Math.imul(this.#three, HASH_PRIME) + code) | 0;
      this.#three = (Math.imul(this.#two, HASH_PRIME) + code) | 0;
      this.#two = (Math.imul(this.#one, HASH_PRIME) + code) | 0;
      this.#one = code;
    }
    this.#run = to - from + 1;
  }

  startRun(): void {
    this.#one = SPACE;
    this.#two = 0;
    this.#three = 0;
    this.#four = 0;
    this.#run = 1;
  }

  push(feature: number): void {
    this.features[this.size++] = feature;
  }

  /** Adds the n-grams that end with this letter. */
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

  /** The same for several ASCII letters of either case. */
  addLetters(codes: Uint16Array, from: number, to: number): void {
    const { features } = this;
    let { size } = this;
    let one = this.#one;
    let two = this.#two;
    let three = this.#three;
    let four = this.#four;
    let run = this.#run;
    for (let at = from; at < to; at++) {
      const code = (codes[at] ?? 0) | 32;
      const five = (Math.imul(four, HASH_PRIME) + code) | 0;
      four = (Math.imul(three, HASH_PRIME) + code) | 0;
      three = (Math.imul(two, HASH_PRIME) + code) | 0;
      two = (Math.imul(one, HASH_PRIME) + code) | 0;
      one = code;
      run++;
      if (run >= 3) features[size++] = Math.imul(three, HASH_MIX) >>> BUCKET_SHIFT;
      if (run >= 4) features[size++] = Math.imul(four ^ FOUR_GRAM_SALT, HASH_MIX) >>> BUCKET_SHIFT;
      if (run >= 5) features[size++] = Math.imul(five ^ FIVE_GRAM_SALT, HASH_MIX) >>> BUCKET_SHIFT;
    }
    this.size = size;
    this.#one = one;
    this.#two = two;
    this.#three = three;
    this.#four = four;
    this.#run = run;
  }
}

// Hashes of words and word pairs.

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

/** A signed integer, as V8 keeps larger ones on the heap. Never 0, which means "no word". */
export function mixHash(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  bits ^= bits >>> 12;
  return bits === 0 ? 1 : bits;
}

export function wordBucket(hash: number): number {
  return Math.imul(hash, HASH_MIX) >>> (32 - BUCKET_BITS);
}

/** The category of a word or pair in the lexicon; -1: it has none. */
export function lexiconCategory(
  { lexicon, lexiconCategories }: { readonly lexicon: Int32Array; readonly lexiconCategories: Uint8Array },
  hash: number,
): number {
  const mask = lexicon.length - 1;
  for (let at = hash & mask; lexicon[at] !== 0; at = (at + 1) & mask)
    if (lexicon[at] === hash) return lexiconCategories[at] ?? 0;
  return -1;
}

// Bit sets.

export function isBitSet(bits: Uint8Array, place: number): boolean {
  return (((bits[place >>> 3] ?? 0) >>> (place & 7)) & 1) === 1;
}

export function setBit(bits: Uint8Array, place: number): void {
  bits[place >>> 3] = (bits[place >>> 3] ?? 0) | (1 << (place & 7));
}

/** The rows of a block's features that are not listed, already summed. */
export type SummedFeatures = Pick<NgramFeatures, "sums" | "summed">;
