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

// Fits the suffix detector: generated suffixes on one side, the ends of all other texts on the other.

const GENERATED_SUFFIXES = 6_000;
const PLAIN_TEXTS = 40_000;
/** The number of texts in which two words must be adjacent to count as a pair. */
const PAIR_TEXTS_MIN = 3;
/** The share of other texts that may seem to have a suffix. The request must be unsafe as well, so this may be high. */
const FALSE_POSITIVE_RATE = 0.025;
const NEWTON_STEPS = 25;
const L2_PENALTY = 1;

/** Fits the known word pairs and the weights of the suffix features. */
export function fitSuffixDetector(rows: readonly Row[], familiar: Uint8Array): Omit<SuffixWeights, "familiar"> {
  const random = randomFromSeed(31);
  const usable = rows.filter(({ category, text }) => category !== "suffix" && text.length > 40);
  // Word pairs are learnt from one half of the texts and the weights from the other, to which the pairs are as new as
  // to any text.
  const isFirstHalf = ({ text }: Row) => (hashWord(text) & 1) === 0;
  const pairs = commonWordPairs(usable.filter((row) => row.label === "benign" && isFirstHalf(row)));
  const others = usable.filter((row) => !isFirstHalf(row) && row.category !== "disguised");
  const generator = new SuffixGenerator(others, random);
  const requests = others.filter(({ text }) => text.length < 150);
  const featuresOf = (text: string) => suffixFeatures(text.trimEnd(), { pairs, familiar });
  const positives = Array.from({ length: GENERATED_SUFFIXES }, () =>
    featuresOf(`${pick(requests, random).text} ${generator.generate()}`),
  );
  const negatives = Array.from({ length: PLAIN_TEXTS }, () =>
    featuresOf(truncateRandomly(pick(others, random).text, random)),
  );
  const weights = fitLogistic(withoutMissing(positives), withoutMissing(negatives));
  const scores = withoutMissing(negatives)
    .map((features) => dotProduct(features, weights))
    .sort((one, other) => other - one);
  weights[0] = (weights[0] ?? 0) - (scores[Math.floor(FALSE_POSITIVE_RATE * negatives.length)] ?? 0);
  return { pairs, tail: weights };
}

/** A long text may end anywhere. */
function truncateRandomly(text: string, random: () => number): string {
  if (text.length <= 300 || random() < 0.5) return text;
  return text.slice(0, 150 + Math.floor(random() * (text.length - 150)));
}

/** Most texts have no symbols in unusual positions and are no examples. */
function withoutMissing(features: readonly (Float32Array | undefined)[]): Float32Array[] {
  return features.filter((its) => its !== undefined);
}

function commonWordPairs(rows: readonly Row[]): Uint8Array {
  const texts = new Uint8Array(WORD_PAIR_TABLE_BYTES * 8);
  for (const { text } of rows) {
    const words = wordsOf(text);
    const buckets = new Set(words.slice(1).map((word, at) => wordPairBucket(words[at] ?? "", word)));
    for (const bucket of buckets) texts[bucket] = Math.min(255, (texts[bucket] ?? 0) + 1);
  }
  const pairs = new Uint8Array(WORD_PAIR_TABLE_BYTES);
  texts.forEach((count, bucket) => {
    if (count >= PAIR_TEXTS_MIN) setBit(pairs, bucket);
  });
  return pairs;
}

function dotProduct(features: Float32Array, weights: Float32Array): number {
  return features.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);
}

/** Logistic regression by Newton's method; both sides have the same weight. */
function fitLogistic(positives: readonly Float32Array[], negatives: readonly Float32Array[]): Float32Array {
  const weights = new Float32Array(SUFFIX_FEATURES);
  const examples = [
    ...positives.map((features) => ({ features, wanted: 1, weight: negatives.length / positives.length })),
    ...negatives.map((features) => ({ features, wanted: 0, weight: 1 })),
  ];
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const gradient = Array.from(weights, (weight) => L2_PENALTY * weight);
    const hessian = gradient.map((_, row) => gradient.map((__, column): number => (row === column ? L2_PENALTY : 0)));
    for (const { features, wanted, weight } of examples) {
      const likely = 1 / (1 + Math.exp(-dotProduct(features, weights)));
      const curvature = weight * likely * (1 - likely);
      features.forEach((one, row) => {
        gradient[row] = (gradient[row] ?? 0) + weight * (likely - wanted) * one;
        const hessianRow = hessian[row];
        if (hessianRow === undefined || one === 0) return;
        for (let column = 0; column < SUFFIX_FEATURES; column++)
          hessianRow[column] = (hessianRow[column] ?? 0) + curvature * one * (features[column] ?? 0);
      });
    }
    solveSymmetric(hessian, gradient).forEach((change, at) => {
      weights[at] = (weights[at] ?? 0) - change;
    });
  }
  return weights;
}

/** Solves a linear system with a symmetric matrix and a non-zero diagonal. */
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

/**
 * Generates suffixes like those an optimiser finds by trial: fragments of words, symbols and capitals without meaning.
 */
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

  /** About twenty words long, some of unrelated whole words, some of fragments. */
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

  /** A fragment of a word, as tokenisers split them. */
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
