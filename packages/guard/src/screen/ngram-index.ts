/** The number of words in an n-gram. */
export const NGRAM_WORDS = 6;
/** A text of fewer words has no passage to recognise. */
const WORDS_MIN = 12;

/** An index of the word n-grams of a text, ignoring case and punctuation. */
export class WordNgramIndex {
  static readonly EMPTY = new WordNgramIndex(1);
  /** Open addressing; 0: empty. */
  readonly #table: Int32Array;
  readonly #mask: number;

  private constructor(entries: number) {
    this.#table = new Int32Array(2 ** Math.ceil(Math.log2(entries * 2 + 1)));
    this.#mask = this.#table.length - 1;
  }

  /** undefined: the text is too short. */
  static of(text: string): WordNgramIndex | undefined {
    if (!hasWords(text, WORDS_MIN)) return undefined;
    const ngrams: number[] = [];
    wordNgramHasher.clear();
    forEachWordHash(text, 0, (word) => {
      const hash = wordNgramHasher.push(word);
      if (hash !== 0) ngrams.push(hash);
    });
    const index = new WordNgramIndex(ngrams.length);
    for (const hash of ngrams) index.#add(hash);
    return index;
  }

  has(ngram: number): boolean {
    for (let at = ngram & this.#mask; this.#table[at] !== 0; at = (at + 1) & this.#mask) {
      if (this.#table[at] === ngram) return true;
    }
    return false;
  }

  /** Whether the index has an n-gram of a text. */
  containsAny(text: string): boolean {
    wordNgramHasher.clear();
    let any = false;
    forEachWordHash(text, 0, (word) => {
      const hash = wordNgramHasher.push(word);
      any ||= hash !== 0 && this.has(hash);
    });
    return any;
  }

  /** Whether the index has every n-gram of a passage. */
  containsAll(passage: string): boolean {
    wordNgramHasher.clear();
    let all = true;
    let any = false;
    forEachWordHash(passage, 0, (word) => {
      const hash = wordNgramHasher.push(word);
      if (hash === 0) return;
      any = true;
      all &&= this.has(hash);
    });
    return any && all;
  }

  #add(ngram: number): void {
    let at = ngram & this.#mask;
    while (this.#table[at] !== 0 && this.#table[at] !== ngram) at = (at + 1) & this.#mask;
    this.#table[at] = ngram;
  }
}

/** Hashes the last few words. */
export class WordNgramHasher {
  readonly #words = new Int32Array(NGRAM_WORDS);
  #count = 0;

  /** Starts a new text. */
  clear(): void {
    this.#count = 0;
  }

  /** The hash of the last words including this one; 0: there are not enough yet. */
  push(word: number): number {
    this.#words[this.#count % NGRAM_WORDS] = word;
    this.#count += 1;
    if (this.#count < NGRAM_WORDS) return 0;
    let hash = 0;
    for (let at = 0; at < NGRAM_WORDS; at += 1)
      hash = Math.imul(hash ^ (this.#words[(this.#count + at) % NGRAM_WORDS] ?? 0), 0x9e3779b1) ^ (hash >>> 15);
    return hash === 0 ? 1 : hash;
  }
}

/** A text is indexed or looked up at once, so that all share it. */
const wordNgramHasher = new WordNgramHasher();

const FNV_PRIME = 0x01000193;
const FNV_OFFSET = 0x811c9dc5;
/** From this code on scripts have no spaces: each character is a word. */
const UNSPACED = 0x2e80;

/** Calls `onWord` with the hash and range of every word of a text, in order. Case and punctuation do not count. */
export function forEachWordHash(
  text: string,
  offset: number,
  onWord: (word: number, start: number, end: number) => void,
): void {
  let hash = FNV_OFFSET;
  let start = -1;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at < text.length ? foldedLetter(text.charCodeAt(at)) : 0;
    if (start !== -1 && (code === 0 || code >= UNSPACED)) {
      onWord(hash, start + offset, at + offset);
      start = -1;
    }
    if (code >= UNSPACED) onWord(Math.imul(FNV_OFFSET ^ code, FNV_PRIME), at + offset, at + offset + 1);
    else if (code !== 0) {
      if (start === -1) {
        start = at;
        hash = FNV_OFFSET;
      }
      hash = Math.imul(hash ^ code, FNV_PRIME);
    }
  }
}

/** Whether a text has at least so many words. */
function hasWords(text: string, count: number): boolean {
  let words = 0;
  let isInWord = false;
  for (let at = 0; at < text.length && words < count; at += 1) {
    const code = foldedLetter(text.charCodeAt(at));
    const wasInWord = isInWord;
    isInWord = code !== 0 && code < UNSPACED;
    if (code >= UNSPACED || (isInWord && !wasInWord)) words += 1;
  }
  return words >= count;
}

/** A letter or digit in lower case where there is a simple one; 0 for anything else. */
function foldedLetter(code: number): number {
  if (code >= 97 && code <= 122) return code;
  if (code >= 65 && code <= 90) return code + 32;
  if (code >= 48 && code <= 57) return code;
  if (code < 0xc0 || (code >= 0x2000 && code < UNSPACED) || (code >= 0x3000 && code <= 0x303f)) return 0;
  return code >= 0xff00 ? 0 : code;
}

/** A match of this many letters and digits is no coincidence. */
const NGRAM_CHARACTERS = 16;
const BASE = 0x01000193;
const LEADING_FACTOR = power(BASE, NGRAM_CHARACTERS);
/** Of a longer conversation the beginning and the end are indexed. */
const CHARACTERS_MAX = 131_072;

/** An index of the letters and digits of a conversation that recognises passages of it. */
export class CharacterNgramIndex {
  readonly #text: string;
  readonly #table: Int32Array;
  readonly #mask: number;

  constructor(text: string) {
    this.#text = folded(shortened(text));
    this.#table = new Int32Array(2 ** Math.ceil(Math.log2(this.#text.length * 2 + 2)));
    this.#mask = this.#table.length - 1;
    forEachNgramHash(this.#text, (ngram) => this.#add(ngram));
  }

  /** The length of the longest match in letters and digits; 0 if it is shorter than 16. */
  longestMatch(words: string): number {
    let longest = 0;
    let run = 0;
    forEachNgramHash(folded(words), (ngram) => {
      run = this.#has(ngram) ? run + 1 : 0;
      if (run > 0) longest = Math.max(longest, NGRAM_CHARACTERS + run - 1);
    });
    return longest;
  }

  /** Whether the conversation contains all of this in one piece. */
  contains(words: string): boolean {
    return this.#text.includes(folded(words));
  }

  #add(ngram: number): void {
    let at = ngram & this.#mask;
    while (this.#table[at] !== 0 && this.#table[at] !== ngram) at = (at + 1) & this.#mask;
    this.#table[at] = ngram;
  }

  #has(ngram: number): boolean {
    for (let at = ngram & this.#mask; this.#table[at] !== 0; at = (at + 1) & this.#mask) {
      if (this.#table[at] === ngram) return true;
    }
    return false;
  }
}

function shortened(text: string): string {
  if (text.length <= CHARACTERS_MAX) return text;
  return `${text.slice(0, CHARACTERS_MAX / 2)}\n${text.slice(-CHARACTERS_MAX / 2)}`;
}

function folded(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Calls `onNgram` with the hash of every n-gram of a text, never 0. */
function forEachNgramHash(text: string, onNgram: (ngram: number) => void): void {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash, BASE) + text.charCodeAt(at);
    if (at >= NGRAM_CHARACTERS) hash -= Math.imul(LEADING_FACTOR, text.charCodeAt(at - NGRAM_CHARACTERS));
    hash |= 0;
    // The low bits of this sum carry little information, so they are mixed with the high bits.
    if (at >= NGRAM_CHARACTERS - 1) onNgram((hash ^ (hash >>> 15)) | 1);
  }
}

function power(base: number, exponent: number): number {
  let product = 1;
  for (let at = 0; at < exponent; at += 1) product = Math.imul(product, base);
  return product;
}
