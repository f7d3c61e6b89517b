/** So many words in a row are one entry. */
export const NGRAM_WORDS = 6;
/** A text of fewer words holds no passage that anybody would know again. */
const WORDS_MIN = 12;

/** Knows the passages of a text again: every row of a few words in it, whatever stands between them. */
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
    const rows: number[] = [];
    const wordNgramHasher = new WordNgramHasher();
    let words = 0;
    forEachWordHash(text, 0, (word) => {
      words += 1;
      const hash = wordNgramHasher.push(word);
      if (hash !== 0) rows.push(hash);
    });
    if (words < WORDS_MIN) return undefined;
    const index = new WordNgramIndex(rows.length);
    for (const hash of rows) index.#add(hash);
    return index;
  }

  has(row: number): boolean {
    for (let at = row & this.#mask; this.#table[at] !== 0; at = (at + 1) & this.#mask) {
      if (this.#table[at] === row) return true;
    }
    return false;
  }

  /** Whether every row of a passage is here. */
  containsAll(passage: string): boolean {
    const wordNgramHasher = new WordNgramHasher();
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

  #add(row: number): void {
    let at = row & this.#mask;
    while (this.#table[at] !== 0 && this.#table[at] !== row) at = (at + 1) & this.#mask;
    this.#table[at] = row;
  }
}

/** The last few words, as one number. */
export class WordNgramHasher {
  readonly #words = new Int32Array(NGRAM_WORDS);
  #count = 0;

  /** Of the last words with this one; 0: there are not enough yet. */
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

const FNV_PRIME = 0x01000193;
const FNV_OFFSET = 0x811c9dc5;
/** From here on, scripts without spaces between words: each character is a word. */
const UNSPACED = 0x2e80;

/** Tells the words of a text as numbers, in order, with where each begins and ends. Case and what stands between words do not count. */
export function forEachWordHash(
  text: string,
  offset: number,
  tell: (word: number, start: number, end: number) => void,
): void {
  let hash = FNV_OFFSET;
  let start = -1;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at < text.length ? foldedLetter(text.charCodeAt(at)) : 0;
    if (start !== -1 && (code === 0 || code >= UNSPACED)) {
      tell(hash, start + offset, at + offset);
      start = -1;
    }
    if (code >= UNSPACED) tell(Math.imul(FNV_OFFSET ^ code, FNV_PRIME), at + offset, at + offset + 1);
    else if (code !== 0) {
      if (start === -1) {
        start = at;
        hash = FNV_OFFSET;
      }
      hash = Math.imul(hash ^ code, FNV_PRIME);
    }
  }
}

/** A letter or digit in lower case, where there is a simple one; 0: anything else. */
function foldedLetter(code: number): number {
  if (code >= 97 && code <= 122) return code;
  if (code >= 65 && code <= 90) return code + 32;
  if (code >= 48 && code <= 57) return code;
  if (code < 0xc0 || (code >= 0x2000 && code < UNSPACED) || (code >= 0x3000 && code <= 0x303f)) return 0;
  return code >= 0xff00 ? 0 : code;
}

/** So many letters and digits in a row are no chance. */
const NGRAM_CHARACTERS = 16;
const BASE = 0x01000193;
const LEADING_FACTOR = power(BASE, NGRAM_CHARACTERS);
/** Of a longer conversation the beginning and the end are known. */
const CHARACTERS_MAX = 131_072;

/** What was said in a conversation, as letters and digits alone, to know stretches of it again. */
export class CharacterNgramIndex {
  readonly #text: string;
  readonly #table: Int32Array;
  readonly #mask: number;

  constructor(text: string) {
    this.#text = folded(shortened(text));
    this.#table = new Int32Array(2 ** Math.ceil(Math.log2(this.#text.length * 2 + 2)));
    this.#mask = this.#table.length - 1;
    forEachNgramHash(this.#text, (gram) => this.#add(gram));
  }

  /** The longest stretch of these words that was said: how many letters and digits, 0 where it is shorter than 16. */
  longestMatch(words: string): number {
    let longest = 0;
    let run = 0;
    forEachNgramHash(folded(words), (gram) => {
      run = this.#has(gram) ? run + 1 : 0;
      if (run > 0) longest = Math.max(longest, NGRAM_CHARACTERS + run - 1);
    });
    return longest;
  }

  /** Whether all of this was said in one piece. */
  contains(words: string): boolean {
    return this.#text.includes(folded(words));
  }

  #add(gram: number): void {
    let at = gram & this.#mask;
    while (this.#table[at] !== 0 && this.#table[at] !== gram) at = (at + 1) & this.#mask;
    this.#table[at] = gram;
  }

  #has(gram: number): boolean {
    for (let at = gram & this.#mask; this.#table[at] !== 0; at = (at + 1) & this.#mask) {
      if (this.#table[at] === gram) return true;
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

/** Tells every stretch of a text as a number, never 0. */
function forEachNgramHash(text: string, tell: (gram: number) => void): void {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash, BASE) + text.charCodeAt(at);
    if (at >= NGRAM_CHARACTERS) hash -= Math.imul(LEADING_FACTOR, text.charCodeAt(at - NGRAM_CHARACTERS));
    hash |= 0;
    // The low bits of such a sum say little: they are mixed with the high ones.
    if (at >= NGRAM_CHARACTERS - 1) tell((hash ^ (hash >>> 15)) | 1);
  }
}

function power(base: number, exponent: number): number {
  let product = 1;
  for (let at = 0; at < exponent; at += 1) product = Math.imul(product, base);
  return product;
}
