import { randomFromSeed, shuffledIndexes } from "@trunkline/core/sampling.ts";
import { CLASSES, type ClassName, classIndex } from "../src/classifier/classes.ts";
import { isCueFeature, isLengthFeature } from "../src/classifier/dense-features.ts";
import { FEATURE_BUCKETS } from "../src/classifier/feature-scanner.ts";
import { DENSE_FEATURES, type Examples } from "./examples.ts";

export interface TrainingSettings {
  /** The number of passes over all examples, and of batches per pass; each batch is a step. */
  readonly passes: number;
  readonly batches: number;
  readonly learningRate: number;
  readonly denseLearningRate: number;
  /** The weight decay of hashed features in the classes of attacks and in the others, and of dense features. */
  readonly attackWeightDecay: number;
  readonly harmWeightDecay: number;
  readonly denseWeightDecay: number;
}

interface LinearWeights {
  /** By bucket: a weight for each class. */
  readonly table: Float32Array;
  /** By class: a weight for each dense feature. */
  readonly denseWeights: Float32Array;
}

/** The learning rate of the last step relative to the first. */
const FINAL_STEP_SHARE = 0.1;
const classCount = CLASSES.length;
const DOCUMENT_CLASS = classIndex("attack_document");
/** The words of one source say little about the attacks of another, so these weights decay faster. */
const ATTACK_CLASSES: ReadonlySet<ClassName> = new Set(["attack_user", "attack_document", "jailbreak"]);
const LENGTH_BLIND_CLASSES: ReadonlySet<number> = new Set([...ATTACK_CLASSES, "unsafe" as const].map(classIndex));

/** Fits a logistic regression per class on hashed and dense features. */
export function fitLogisticRegression(
  examples: Examples,
  weight: Float32Array,
  settings: TrainingSettings,
): LinearWeights {
  const { passes, batches, learningRate, denseLearningRate, denseWeightDecay } = settings;
  const { denseFrom, denseIndex, denseValue, features, from, to, wanted, size } = examples;
  const hashed = new Adam(
    FEATURE_BUCKETS * classCount,
    CLASSES.map((className) => (ATTACK_CLASSES.has(className) ? settings.attackWeightDecay : settings.harmWeightDecay)),
  );
  const dense = new Adam(classCount * DENSE_FEATURES, [denseWeightDecay]);
  const share = classShares(weight, batches);
  const order = shuffledIndexes(size, randomFromSeed(21));
  const scores = new Float64Array(classCount);
  const leftOut = new Float64Array(classCount);
  const sample = new FeatureSample();
  const steps = passes * batches;
  for (let step = 0; step < steps; step++) {
    for (let place = step % batches; place < size; place += batches) {
      const example = order[place] ?? 0;
      const row = example * classCount;
      if (hasNoWeight(weight, row)) continue;
      const start = from[example] ?? 0;
      const end = to[example] ?? 0;
      const root = 1 / Math.sqrt(end - start + 1);
      sample.draw(features, start, end, example, step);
      sumFeatureWeights(hashed.weights, sample.features, 0, sample.kept, scores);
      sumFeatureWeights(hashed.weights, sample.features, sample.kept, end - start, leftOut);
      for (let classId = 0; classId < classCount; classId++)
        scores[classId] = SAMPLING_CLASSES[classId]
          ? (scores[classId] ?? 0) / KEPT_SHARE
          : (scores[classId] ?? 0) + (leftOut[classId] ?? 0);
      for (let classId = 0; classId < classCount; classId++) {
        const counts = (weight[row + classId] ?? 0) * (share[classId] ?? 0);
        if (counts === 0) {
          scores[classId] = 0;
          continue;
        }
        let score = (scores[classId] ?? 0) * root;
        for (let at = denseFrom[example] ?? 0; at < (denseFrom[example + 1] ?? 0); at++)
          score += (denseValue[at] ?? 0) * (dense.weights[classId * DENSE_FEATURES + (denseIndex[at] ?? 0)] ?? 0);
        const gradient = (1 / (1 + Math.exp(-score)) - (wanted[row + classId] ?? 0)) * counts;
        for (let at = denseFrom[example] ?? 0; at < (denseFrom[example + 1] ?? 0); at++) {
          const feature = denseIndex[at] ?? 0;
          if (!usesDenseFeature(classId, feature)) continue;
          const cell = classId * DENSE_FEATURES + feature;
          dense.gradients[cell] = (dense.gradients[cell] ?? 0) + gradient * (denseValue[at] ?? 0);
        }
        scores[classId] = gradient * root;
      }
      for (let classId = 0; classId < classCount; classId++) {
        leftOut[classId] = SAMPLING_CLASSES[classId] ? 0 : (scores[classId] ?? 0);
        if (SAMPLING_CLASSES[classId]) scores[classId] = (scores[classId] ?? 0) / KEPT_SHARE;
      }
      addFeatureGradients(hashed.gradients, sample.features, 0, sample.kept, scores);
      addFeatureGradients(hashed.gradients, sample.features, sample.kept, end - start, leftOut);
    }
    const pace = 1 - ((1 - FINAL_STEP_SHARE) * (step + 1)) / steps;
    hashed.step(learningRate * pace);
    dense.step(denseLearningRate * pace);
  }
  return { table: hashed.weights, denseWeights: dense.weights };
}

/** The share of an example's features that counts in a step, so that no few words of a source decide alone. */
const KEPT_SHARE = 0.6;
/** The features of a word follow each other. About this many are kept or left out together. */
const FEATURES_TOGETHER = 12;
/** Requests for harm are short: with fewer of their words, sources that were left out are recognised worse. */
const SAMPLING_CLASSES: readonly boolean[] = CLASSES.map(
  (className) => className !== "unsafe" && className !== "illicit",
);

/** The features of one example: first those that are kept, then the others. */
class FeatureSample {
  features = new Int32Array(1 << 12);
  kept = 0;

  draw(from: Int32Array, start: number, end: number, example: number, step: number): void {
    const size = end - start;
    if (this.features.length < size) this.features = new Int32Array(2 * size);
    let kept = 0;
    let leftOut = size;
    for (let first = 0; first < size; first += FEATURES_TOGETHER) {
      const last = Math.min(size, first + FEATURES_TOGETHER);
      const isKept = randomShare(Math.imul(example, 0x9e3779b1) + Math.imul(step, 40_503) + first) < KEPT_SHARE;
      for (let at = first; at < last; at++) this.features[isKept ? kept++ : --leftOut] = from[start + at] ?? 0;
    }
    this.kept = kept;
  }
}

/** A number from 0 to 1 for a hash of the seed. */
function randomShare(seed: number): number {
  let hash = seed ^ (seed >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/**
 * Cues count for documents only: harmless requests to an assistant are full of them. The length counts for moderation
 * only: in no other class are longer texts worse.
 */
function usesDenseFeature(classId: number, feature: number): boolean {
  if (isLengthFeature(feature)) return !LENGTH_BLIND_CLASSES.has(classId);
  return classId === DOCUMENT_CLASS || !isCueFeature(feature);
}

/** Whether an example weighs nothing in any class. */
function hasNoWeight(weight: Float32Array, row: number): boolean {
  for (let classId = 0; classId < classCount; classId++) if (weight[row + classId] !== 0) return false;
  return true;
}

/** All examples of a class in a batch together weigh about one. */
function classShares(weight: Float32Array, batches: number): Float64Array {
  const sums = new Float64Array(classCount);
  for (let at = 0; at < weight.length; at++) sums[at % classCount] = (sums[at % classCount] ?? 0) + (weight[at] ?? 0);
  return sums.map((sum) => (sum === 0 ? 0 : batches / sum));
}

// Both loops take most of the training time, so they are written out for the twelve classes.

/** Sets the sum of the weights of the features by class. */
function sumFeatureWeights(
  table: Float32Array,
  features: Int32Array,
  start: number,
  end: number,
  sums: Float64Array,
): void {
  let [a, b, c, d, e, f, g, h, i, j, k, l] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let at = start; at < end; at++) {
    const row = (features[at] ?? 0) * classCount;
    a += table[row] ?? 0;
    b += table[row + 1] ?? 0;
    c += table[row + 2] ?? 0;
    d += table[row + 3] ?? 0;
    e += table[row + 4] ?? 0;
    f += table[row + 5] ?? 0;
    g += table[row + 6] ?? 0;
    h += table[row + 7] ?? 0;
    i += table[row + 8] ?? 0;
    j += table[row + 9] ?? 0;
    k += table[row + 10] ?? 0;
    l += table[row + 11] ?? 0;
  }
  sums.set([a, b, c, d, e, f, g, h, i, j, k, l]);
}

/** Adds the gradient of each class to each feature. */
function addFeatureGradients(
  gradients: Float32Array,
  features: Int32Array,
  start: number,
  end: number,
  errors: Float64Array,
): void {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0, k = 0, l = 0] = errors;
  for (let at = start; at < end; at++) {
    const row = (features[at] ?? 0) * classCount;
    gradients[row] = (gradients[row] ?? 0) + a;
    gradients[row + 1] = (gradients[row + 1] ?? 0) + b;
    gradients[row + 2] = (gradients[row + 2] ?? 0) + c;
    gradients[row + 3] = (gradients[row + 3] ?? 0) + d;
    gradients[row + 4] = (gradients[row + 4] ?? 0) + e;
    gradients[row + 5] = (gradients[row + 5] ?? 0) + f;
    gradients[row + 6] = (gradients[row + 6] ?? 0) + g;
    gradients[row + 7] = (gradients[row + 7] ?? 0) + h;
    gradients[row + 8] = (gradients[row + 8] ?? 0) + i;
    gradients[row + 9] = (gradients[row + 9] ?? 0) + j;
    gradients[row + 10] = (gradients[row + 10] ?? 0) + k;
    gradients[row + 11] = (gradients[row + 11] ?? 0) + l;
  }
}

/** The decay rates of the moving averages of the gradient and its square. */
const GRADIENT_DECAY = 0.9;
const SQUARED_GRADIENT_DECAY = 0.999;
const EPSILON = 1e-8;

/** The Adam optimiser. */
class Adam {
  readonly weights: Float32Array;
  readonly gradients: Float32Array;
  readonly #mean: Float32Array;
  readonly #square: Float32Array;
  /** By class, in turn. */
  readonly #weightDecay: readonly number[];
  #stepCount = 0;

  constructor(size: number, weightDecay: readonly number[]) {
    this.weights = new Float32Array(size);
    this.gradients = new Float32Array(size);
    this.#mean = new Float32Array(size);
    this.#square = new Float32Array(size);
    this.#weightDecay = weightDecay;
  }

  /** One step; resets the gradients. */
  step(learningRate: number): void {
    this.#stepCount++;
    const meanShare = 1 - GRADIENT_DECAY ** this.#stepCount;
    const squareShare = 1 - SQUARED_GRADIENT_DECAY ** this.#stepCount;
    const { weights, gradients } = this;
    const mean = this.#mean;
    const square = this.#square;
    const decays = this.#weightDecay;
    for (let at = 0; at < weights.length; at++) {
      const weight = weights[at] ?? 0;
      const gradient = (gradients[at] ?? 0) + (decays[at % decays.length] ?? 0) * weight;
      const itsMean = GRADIENT_DECAY * (mean[at] ?? 0) + (1 - GRADIENT_DECAY) * gradient;
      const itsSquare = SQUARED_GRADIENT_DECAY * (square[at] ?? 0) + (1 - SQUARED_GRADIENT_DECAY) * gradient * gradient;
      mean[at] = itsMean;
      square[at] = itsSquare;
      weights[at] = weight - (learningRate * (itsMean / meanShare)) / (Math.sqrt(itsSquare / squareShare) + EPSILON);
    }
    gradients.fill(0);
  }
}
