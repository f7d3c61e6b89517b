import { forEachWordHash } from "./read-words.ts";

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
      hash =
        Math.imul(hash ^ (this.#words[(this.#count + at) % NGRAM_WORDS] ?? 0), 0x9e3779b1) ^ (hash >>> 15);
    return hash === 0 ? 1 : hash;
  }
}
