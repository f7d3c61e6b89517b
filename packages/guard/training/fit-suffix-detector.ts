import { randomFromSeed } from "@trunkline/core/sampling.ts";
import {
  SUFFIX_FEATURES,
  type SuffixWeights,
  suffixFeatures,
  WORD_PAIR_TABLE_BYTES,
  wordPairBucket,
  wordsOf,
} from "../src/classifier/adversarial-suffix.ts";
import { hashWord, setBit } from "../src/classifier/feature-hashing.ts";
import { pick } from "./compose-rows.ts";
import type { Row } from "./rows.ts";

/** Teaches what an odd tail looks like: made by chance on one side, the ends of all other texts on the other. */

const GENERATED_SUFFIXES = 6_000;
const PLAIN_TEXTS = 40_000;
/** Two words belong together once so many texts have them side by side. */
const PAIR_TEXTS_MIN = 3;
/** So many of all other texts may seem to have one: what they ask for must be unsafe, too. */
const FALSE_POSITIVE_RATE = 0.025;
const NEWTON_STEPS = 25;
const L2_PENALTY = 1;

/** The pairs of words that belong together, and what speaks for an odd tail. */
export function fitSuffixDetector(rows: readonly Row[], familiar: Uint8Array): Omit<SuffixWeights, "familiar"> {
  const random = randomFromSeed(31);
  const taught = rows.filter(({ category, text }) => category !== "suffix" && text.length > 40);
  // Words that belong together are learnt from one half of the texts, and what a tail is from the other, to which they are as new as to any text.
  const isFirstHalf = ({ text }: Row) => (hashWord(text) & 1) === 0;
  const pairs = commonWordPairs(taught.filter((row) => row.label === "benign" && isFirstHalf(row)));
  const others = taught.filter((row) => !isFirstHalf(row) && row.category !== "disguised");
  const maker = new SuffixGenerator(others, random);
  const requests = others.filter(({ text }) => text.length < 150);
  const figuresOf = (text: string) => suffixFeatures(text.trimEnd(), { pairs, familiar });
  const odd = Array.from({ length: GENERATED_SUFFIXES }, () =>
    figuresOf(`${pick(requests, random).text} ${maker.generate()}`),
  );
  const plain = Array.from({ length: PLAIN_TEXTS }, () =>
    figuresOf(truncateRandomly(pick(others, random).text, random)),
  );
  const tail = fitLogistic(withoutMissing(odd), withoutMissing(plain));
  const scores = withoutMissing(plain)
    .map((figures) => dotProduct(figures, tail))
    .sort((one, other) => other - one);
  tail[0] = (tail[0] ?? 0) - (scores[Math.floor(FALSE_POSITIVE_RATE * plain.length)] ?? 0);
  return { pairs, tail };
}

/** A long text may end anywhere. */
function truncateRandomly(text: string, random: () => number): string {
  if (text.length <= 300 || random() < 0.5) return text;
  return text.slice(0, 150 + Math.floor(random() * (text.length - 150)));
}

/** Most texts have no signs in odd places, and nothing to teach. */
function withoutMissing(figures: readonly (Float32Array | undefined)[]): Float32Array[] {
  return figures.filter((its) => its !== undefined);
}

function commonWordPairs(rows: readonly Row[]): Uint8Array {
  const texts = new Uint8Array(WORD_PAIR_TABLE_BYTES * 8);
  for (const { text } of rows) {
    const words = wordsOf(text);
    const places = new Set(words.slice(1).map((word, at) => wordPairBucket(words[at] ?? "", word)));
    for (const place of places) texts[place] = Math.min(255, (texts[place] ?? 0) + 1);
  }
  const pairs = new Uint8Array(WORD_PAIR_TABLE_BYTES);
  texts.forEach((count, place) => {
    if (count >= PAIR_TEXTS_MIN) setBit(pairs, place);
  });
  return pairs;
}

function dotProduct(figures: Float32Array, weights: Float32Array): number {
  return figures.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);
}

/** Logistic regression by Newton's steps; both sides count the same. */
function fitLogistic(odd: readonly Float32Array[], plain: readonly Float32Array[]): Float32Array {
  const weights = new Float32Array(SUFFIX_FEATURES);
  const examples = [
    ...odd.map((figures) => ({ figures, wanted: 1, counts: plain.length / odd.length })),
    ...plain.map((figures) => ({ figures, wanted: 0, counts: 1 })),
  ];
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const slopes = Array.from(weights, (weight) => L2_PENALTY * weight);
    const bends = slopes.map((_, row) => slopes.map((__, column): number => (row === column ? L2_PENALTY : 0)));
    for (const { figures, wanted, counts } of examples) {
      const likely = 1 / (1 + Math.exp(-dotProduct(figures, weights)));
      const bend = counts * likely * (1 - likely);
      figures.forEach((one, row) => {
        slopes[row] = (slopes[row] ?? 0) + counts * (likely - wanted) * one;
        const its = bends[row];
        if (its === undefined || one === 0) return;
        for (let column = 0; column < SUFFIX_FEATURES; column++)
          its[column] = (its[column] ?? 0) + bend * one * (figures[column] ?? 0);
      });
    }
    solveSymmetric(bends, slopes).forEach((change, at) => {
      weights[at] = (weights[at] ?? 0) - change;
    });
  }
  return weights;
}

/** Solves for a matrix that is the same on both sides of its diagonal and has no zero there. */
function solveSymmetric(matrix: readonly number[][], right: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0]);
  const size = rows.length;
  rows.forEach((pivot, at) => {
    for (const [other, row] of rows.entries()) {
      if (other === at) continue;
      const factor = (row[at] ?? 0) / (pivot[at] ?? 1);
      for (let column = at; column <= size; column++) row[column] = (row[column] ?? 0) - factor * (pivot[column] ?? 0);
    }
  });
  return rows.map((row, at) => (row[size] ?? 0) / (row[at] ?? 1));
}

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
