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
