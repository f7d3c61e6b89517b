import { randomFromSeed, shuffledIndexes } from "@trunkline/core/sampling.ts";
import { CLASSES } from "../src/classifier/classes.ts";
import { isCueFeature } from "../src/classifier/dense-features.ts";
import { FEATURE_BUCKETS } from "../src/classifier/feature-scanner.ts";
import { DENSE_FEATURES, type Examples } from "./examples.ts";

export interface TrainingSettings {
  /** The number of passes over all examples, and of batches per pass; each batch is a step. */
  readonly passes: number;
  readonly batches: number;
  readonly learningRate: number;
  readonly denseLearningRate: number;
  /** The weight decay of hashed and of dense features. */
  readonly weightDecay: number;
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
const DOCUMENT_CLASS = CLASSES.indexOf("attack_document");

/** Fits a logistic regression per class on hashed and dense features. */
export function fitLogisticRegression(
  examples: Examples,
  weight: Float32Array,
  settings: TrainingSettings,
): LinearWeights {
  const { passes, batches, learningRate, denseLearningRate, weightDecay, denseWeightDecay } = settings;
  const { denseFrom, denseIndex, denseValue, features, from, to, wanted, size } = examples;
  const hashed = new Adam(FEATURE_BUCKETS * classCount, weightDecay);
  const dense = new Adam(classCount * DENSE_FEATURES, denseWeightDecay);
  const share = classShares(weight, batches);
  const order = shuffledIndexes(size, randomFromSeed(21));
  const classes = new Int32Array(classCount);
  const scores = new Float64Array(classCount);
  const steps = passes * batches;
  for (let step = 0; step < steps; step++) {
    for (let place = step % batches; place < size; place += batches) {
      const example = order[place] ?? 0;
      const row = example * classCount;
      let classesSize = 0;
      for (let classId = 0; classId < classCount; classId++)
        if (weight[row + classId] !== 0) classes[classesSize++] = classId;
      if (classesSize === 0) continue;
      const start = from[example] ?? 0;
      const end = to[example] ?? 0;
      const root = 1 / Math.sqrt(end - start + 1);
      scores.fill(0);
      addFeatureWeights(hashed.weights, features, start, end, classes, classesSize, scores);
      for (let which = 0; which < classesSize; which++) {
        const classId = classes[which] ?? 0;
        let score = (scores[which] ?? 0) * root;
        for (let at = denseFrom[example] ?? 0; at < (denseFrom[example + 1] ?? 0); at++)
          score += (denseValue[at] ?? 0) * (dense.weights[classId * DENSE_FEATURES + (denseIndex[at] ?? 0)] ?? 0);
        const counts = (weight[row + classId] ?? 0) * (share[classId] ?? 0);
        const gradient = (1 / (1 + Math.exp(-score)) - (wanted[row + classId] ?? 0)) * counts;
        for (let at = denseFrom[example] ?? 0; at < (denseFrom[example + 1] ?? 0); at++) {
          const feature = denseIndex[at] ?? 0;
          if (!usesDenseFeature(classId, feature)) continue;
          const cell = classId * DENSE_FEATURES + feature;
          dense.gradients[cell] = (dense.gradients[cell] ?? 0) + gradient * (denseValue[at] ?? 0);
        }
        scores[which] = gradient * root;
      }
      addFeatureGradients(hashed.gradients, features, start, end, classes, classesSize, scores);
    }
    const pace = 1 - ((1 - FINAL_STEP_SHARE) * (step + 1)) / steps;
    hashed.step(learningRate * pace);
    dense.step(denseLearningRate * pace);
  }
  return { table: hashed.weights, denseWeights: dense.weights };
}

/** Cues count for documents only: harmless requests to an assistant are full of them. */
function usesDenseFeature(classId: number, feature: number): boolean {
  return classId === DOCUMENT_CLASS || !isCueFeature(feature);
}

/** All examples of a class in a batch together weigh about one. */
function classShares(weight: Float32Array, batches: number): Float64Array {
  const sums = new Float64Array(classCount);
  for (let at = 0; at < weight.length; at++) sums[at % classCount] = (sums[at % classCount] ?? 0) + (weight[at] ?? 0);
  return sums.map((sum) => (sum === 0 ? 0 : batches / sum));
}

/** Adds the weights of each feature for the given classes. */
function addFeatureWeights(
  table: Float32Array,
  features: Int32Array,
  start: number,
  end: number,
  classes: Int32Array,
  classesSize: number,
  sums: Float64Array,
): void {
  for (let at = start; at < end; at++) {
    const row = (features[at] ?? 0) * classCount;
    for (let which = 0; which < classesSize; which++)
      sums[which] = (sums[which] ?? 0) + (table[row + (classes[which] ?? 0)] ?? 0);
  }
}

/** Adds the gradient of the given classes to each feature. */
function addFeatureGradients(
  gradients: Float32Array,
  features: Int32Array,
  start: number,
  end: number,
  classes: Int32Array,
  classesSize: number,
  errors: Float64Array,
): void {
  for (let at = start; at < end; at++) {
    const row = (features[at] ?? 0) * classCount;
    for (let which = 0; which < classesSize; which++) {
      const cell = row + (classes[which] ?? 0);
      gradients[cell] = (gradients[cell] ?? 0) + (errors[which] ?? 0);
    }
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
  readonly #weightDecay: number;
  #stepCount = 0;

  constructor(size: number, weightDecay: number) {
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
    for (let at = 0; at < weights.length; at++) {
      const weight = weights[at] ?? 0;
      const gradient = (gradients[at] ?? 0) + this.#weightDecay * weight;
      const itsMean = GRADIENT_DECAY * (mean[at] ?? 0) + (1 - GRADIENT_DECAY) * gradient;
      const itsSquare = SQUARED_GRADIENT_DECAY * (square[at] ?? 0) + (1 - SQUARED_GRADIENT_DECAY) * gradient * gradient;
      mean[at] = itsMean;
      square[at] = itsSquare;
      weights[at] = weight - (learningRate * (itsMean / meanShare)) / (Math.sqrt(itsSquare / squareShare) + EPSILON);
    }
    gradients.fill(0);
  }
}
