import { randomFromSeed, shuffledIndexes } from "@trunkline/core/sampling.ts";
import { CLASSES } from "../src/classifier/classes.ts";
import { isCueFeature } from "../src/classifier/dense-features.ts";
import { FEATURE_BUCKETS } from "../src/classifier/feature-scanner.ts";
import { DENSE_FEATURES, type Examples } from "./examples.ts";

export interface TrainingSettings {
  /** How often all examples are gone through, and in how many batches, each of which is a step. */
  readonly turns: number;
  readonly batches: number;
  readonly learningRate: number;
  readonly denseLearningRate: number;
  /** By how much weights of marks and of figures are drawn to nothing. */
  readonly weightDecay: number;
  readonly denseWeightDecay: number;
}

interface LinearWeights {
  /** By place: a weight for each head. */
  readonly table: Float32Array;
  /** By head: a weight for each figure. */
  readonly denseWeights: Float32Array;
}

/** Of the first step so much is left for the last. */
const FINAL_STEP_SHARE = 0.1;
const classCount = CLASSES.length;
const DOCUMENT_CLASS = CLASSES.indexOf("attack_document");

/** Logistic regression for each head, on all marks and figures. */
export function fitLogisticRegression(
  examples: Examples,
  weight: Float32Array,
  settings: TrainingSettings,
): LinearWeights {
  const {
    turns,
    batches,
    learningRate: rate,
    denseLearningRate: figureRate,
    weightDecay: draw,
    denseWeightDecay: figureDraw,
  } = settings;
  const {
    denseFrom: figuresFrom,
    denseIndex: figureAt,
    denseValue: figureValue,
    features: marks,
    from,
    to,
    wanted,
    size,
  } = examples;
  const places = new Adam(FEATURE_BUCKETS * classCount, draw);
  const figures = new Adam(classCount * DENSE_FEATURES, figureDraw);
  const share = classShares(weight, batches);
  const order = shuffledIndexes(size, randomFromSeed(21));
  const taught = new Int32Array(classCount);
  const scores = new Float64Array(classCount);
  const steps = turns * batches;
  for (let step = 0; step < steps; step++) {
    for (let place = step % batches; place < size; place += batches) {
      const example = order[place] ?? 0;
      const row = example * classCount;
      let asked = 0;
      for (let head = 0; head < classCount; head++) if (weight[row + head] !== 0) taught[asked++] = head;
      if (asked === 0) continue;
      const start = from[example] ?? 0;
      const end = to[example] ?? 0;
      const root = 1 / Math.sqrt(end - start + 1);
      scores.fill(0);
      addFeatureWeights(places.weights, marks, start, end, taught, asked, scores);
      for (let which = 0; which < asked; which++) {
        const head = taught[which] ?? 0;
        let score = (scores[which] ?? 0) * root;
        for (let at = figuresFrom[example] ?? 0; at < (figuresFrom[example + 1] ?? 0); at++)
          score += (figureValue[at] ?? 0) * (figures.weights[head * DENSE_FEATURES + (figureAt[at] ?? 0)] ?? 0);
        const counts = (weight[row + head] ?? 0) * (share[head] ?? 0);
        const slope = (1 / (1 + Math.exp(-score)) - (wanted[row + head] ?? 0)) * counts;
        for (let at = figuresFrom[example] ?? 0; at < (figuresFrom[example + 1] ?? 0); at++) {
          const figure = figureAt[at] ?? 0;
          if (!usesDenseFeature(head, figure)) continue;
          const cell = head * DENSE_FEATURES + figure;
          figures.gradients[cell] = (figures.gradients[cell] ?? 0) + slope * (figureValue[at] ?? 0);
        }
        scores[which] = slope * root;
      }
      addFeatureGradients(places.gradients, marks, start, end, taught, asked, scores);
    }
    const pace = 1 - ((1 - FINAL_STEP_SHARE) * (step + 1)) / steps;
    places.step(rate * pace);
    figures.step(figureRate * pace);
  }
  return { table: places.weights, denseWeights: figures.weights };
}

/** Cues speak of documents alone: harmless requests to an assistant are full of them. */
function usesDenseFeature(head: number, figure: number): boolean {
  return head === DOCUMENT_CLASS || !isCueFeature(figure);
}

/** All that a head is taught in a batch counts about one. */
function classShares(weight: Float32Array, batches: number): Float64Array {
  const sums = new Float64Array(classCount);
  for (let at = 0; at < weight.length; at++) sums[at % classCount] = (sums[at % classCount] ?? 0) + (weight[at] ?? 0);
  return sums.map((sum) => (sum === 0 ? 0 : batches / sum));
}

/** Adds what each mark says for the heads that are asked. */
function addFeatureWeights(
  table: Float32Array,
  marks: Int32Array,
  start: number,
  end: number,
  taught: Int32Array,
  asked: number,
  sums: Float64Array,
): void {
  for (let at = start; at < end; at++) {
    const row = (marks[at] ?? 0) * classCount;
    for (let which = 0; which < asked; which++)
      sums[which] = (sums[which] ?? 0) + (table[row + (taught[which] ?? 0)] ?? 0);
  }
}

/** Tells each mark how wrong its heads were. */
function addFeatureGradients(
  slopes: Float32Array,
  marks: Int32Array,
  start: number,
  end: number,
  taught: Int32Array,
  asked: number,
  wrong: Float64Array,
): void {
  for (let at = start; at < end; at++) {
    const row = (marks[at] ?? 0) * classCount;
    for (let which = 0; which < asked; which++) {
      const cell = row + (taught[which] ?? 0);
      slopes[cell] = (slopes[cell] ?? 0) + (wrong[which] ?? 0);
    }
  }
}

/** How far a slope and its square are remembered. */
const GRADIENT_DECAY = 0.9;
const SQUARED_GRADIENT_DECAY = 0.999;
const EPSILON = 1e-8;

/** Weights that go down their slopes, each at a pace of its own. */
class Adam {
  readonly weights: Float32Array;
  readonly gradients: Float32Array;
  readonly #mean: Float32Array;
  readonly #square: Float32Array;
  readonly #weightDecay: number;
  #stepCount = 0;

  /** `draw`: by how much every weight is drawn to nothing. */
  constructor(size: number, draw: number) {
    this.weights = new Float32Array(size);
    this.gradients = new Float32Array(size);
    this.#mean = new Float32Array(size);
    this.#square = new Float32Array(size);
    this.#weightDecay = draw;
  }

  /** One step down the slopes, which are then forgotten. */
  step(rate: number): void {
    this.#stepCount++;
    const meanShare = 1 - GRADIENT_DECAY ** this.#stepCount;
    const squareShare = 1 - SQUARED_GRADIENT_DECAY ** this.#stepCount;
    const { weights, gradients: slopes } = this;
    const mean = this.#mean;
    const square = this.#square;
    for (let at = 0; at < weights.length; at++) {
      const weight = weights[at] ?? 0;
      const slope = (slopes[at] ?? 0) + this.#weightDecay * weight;
      const itsMean = GRADIENT_DECAY * (mean[at] ?? 0) + (1 - GRADIENT_DECAY) * slope;
      const itsSquare = SQUARED_GRADIENT_DECAY * (square[at] ?? 0) + (1 - SQUARED_GRADIENT_DECAY) * slope * slope;
      mean[at] = itsMean;
      square[at] = itsSquare;
      weights[at] = weight - (rate * (itsMean / meanShare)) / (Math.sqrt(itsSquare / squareShare) + EPSILON);
    }
    slopes.fill(0);
  }
}
