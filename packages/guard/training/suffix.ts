import { pick } from "./compose.ts";
import type { Row } from "./rows.ts";

/** Endings like those that a machine finds by trial: pieces of words, signs and capitals without any sense. Made by chance from whatever texts there are. */
export class SuffixGenerator {
  readonly #words: readonly string[];
  readonly #signs: readonly string[];
  readonly #random: () => number;

  constructor(rows: readonly Row[], random: () => number) {
    const words = new Set<string>();
    const signs = new Set<string>();
    for (const { text, category } of rows) {
      for (const [word] of text.matchAll(/[A-Za-z]{2,14}/g)) words.add(word);
      if (!/code|tech_doc|tool/.test(category)) continue;
      for (const [sign] of text.matchAll(/[!-/:-@[-`{-~]{1,4}/g)) signs.add(sign);
    }
    this.#words = [...words];
    this.#signs = [...signs];
    this.#random = random;
  }

  /** About as long as twenty words, some of whole words that have nothing to do with each other, some of pieces. */
  generate(): string {
    const random = this.#random;
    const pieces = 12 + Math.floor(random() * 16);
    const wholeness = random();
    const signShare = 0.05 + 0.35 * random();
    const glue = 0.1 + 0.4 * random();
    let text = "";
    for (let piece = 0; piece < pieces; piece++) {
      if (random() < signShare) text += pick(this.#signs, random);
      else text += random() < wholeness ? this.#cased(pick(this.#words, random)) : this.#cut();
      if (random() > glue) text += " ";
    }
    return text.trim();
  }

  /** A piece of a word, as machines cut them. */
  #cut(): string {
    const word = pick(this.#words, this.#random);
    if (word.length < 5) return this.#cased(word);
    const at = 2 + Math.floor(this.#random() * (word.length - 3));
    return this.#cased(this.#random() < 0.6 ? word.slice(0, at) : word.slice(at));
  }

  #cased(piece: string): string {
    const chance = this.#random();
    if (chance < 0.08) return piece.toUpperCase();
    return chance < 0.3 ? piece.charAt(0).toUpperCase() + piece.slice(1) : piece;
  }
}
