import { randomFromSeed, shuffledIndexes } from "@trunkline/core/sampling.ts";
import { BUCKET_COUNT } from "../src/predict/counted-words.ts";
import { NUMERIC_FEATURE_COUNT } from "../src/predict/text-features.ts";
import { Matrix, sigmoid, solveLinearSystem } from "./matrix.ts";
import type { TrainingFeatures } from "./training-data.ts";

/** One prompt with the ability of each model that answered it. */
export interface TrainingCase {
  readonly figures: Float64Array;
  readonly domain: number;
  readonly family: number;
  readonly answers: readonly Answer[];
}

interface Answer {
  readonly model: number;
  readonly ability: number;
  readonly strength: number;
  readonly score: number;
}

/** Answers to one prompt are correlated: together they count as this many independent ones. */
const INDEPENDENT_ANSWERS = 3;
const EASE_SHRINKAGE = { family: 15, domain: 30 };
const DISCRIMINATION_SHRINKAGE = { family: 10, domain: 30 };
const NUMERIC_ROUNDS = 6;

/** By domain: weights of the numeric features for the ease, then for the discrimination; domains are shrunk to families. */
export function fitNumericFeatures(
  trainingCases: readonly TrainingCase[],
  familyOf: readonly number[],
  families: number,
): Matrix {
  const fitted = new Matrix(familyOf.length, 2 * NUMERIC_FEATURE_COUNT);
  for (let family = 0; family < families; family++) {
    const ofFamily = trainingCases.filter((one) => one.family === family);
    const common = fitWithShrinkage(ofFamily, new Float64Array(2 * NUMERIC_FEATURE_COUNT), "family");
    familyOf.forEach((its, domain) => {
      if (its !== family) return;
      const own = fitWithShrinkage(
        ofFamily.filter((one) => one.domain === domain),
        common,
        "domain",
      );
      own.forEach((value, at) => {
        fitted.set(domain, at, value);
      });
    });
  }
  return fitted;
}

function fitWithShrinkage(
  trainingCases: readonly TrainingCase[],
  around: Float64Array,
  level: "family" | "domain",
): Float64Array {
  const size = 2 * NUMERIC_FEATURE_COUNT;
  const weights = around.slice();
  for (let round = 0; round < NUMERIC_ROUNDS; round++) {
    const matrix = new Matrix(size, size + 1);
    for (const one of trainingCases) addCase(matrix, one, weights);
    for (let at = 0; at < size; at++) {
      const isParting = at >= NUMERIC_FEATURE_COUNT;
      const shrinking = (isParting ? DISCRIMINATION_SHRINKAGE : EASE_SHRINKAGE)[level];
      matrix.add(at, at, shrinking);
      matrix.add(at, size, -shrinking * ((weights[at] ?? 0) - (around[at] ?? 0)));
    }
    const step = solveLinearSystem(matrix);
    for (let at = 0; at < size; at++) weights[at] = (weights[at] ?? 0) + (step[at] ?? 0);
  }
  return weights;
}

function addCase(matrix: Matrix, { figures, answers }: TrainingCase, weights: Float64Array): void {
  let ease = 0;
  let parting = 0;
  for (let at = 0; at < NUMERIC_FEATURE_COUNT; at++) {
    ease += (weights[at] ?? 0) * (figures[at] ?? 0);
    parting += (weights[NUMERIC_FEATURE_COUNT + at] ?? 0) * (figures[at] ?? 0);
  }
  const together = INDEPENDENT_ANSWERS / (answers.length + INDEPENDENT_ANSWERS - 1);
  let easePush = 0;
  let partingPush = 0;
  let easeCurve = 0;
  let bothCurve = 0;
  let partingCurve = 0;
  for (const { ability, strength, score } of answers) {
    const p = sigmoid(ability + ease + strength * parting);
    const curve = p * (1 - p);
    easePush += together * (score - p);
    partingPush += strength * (score - p);
    easeCurve += together * curve;
    bothCurve += together * curve * strength;
    partingCurve += curve * strength ** 2;
  }
  const size = 2 * NUMERIC_FEATURE_COUNT;
  for (let row = 0; row < NUMERIC_FEATURE_COUNT; row++) {
    const one = figures[row] ?? 0;
    matrix.add(row, size, easePush * one);
    matrix.add(NUMERIC_FEATURE_COUNT + row, size, partingPush * one);
    for (let column = 0; column < NUMERIC_FEATURE_COUNT; column++) {
      const both = one * (figures[column] ?? 0);
      matrix.add(row, column, easeCurve * both);
      matrix.add(row, NUMERIC_FEATURE_COUNT + column, bothCurve * both);
      matrix.add(NUMERIC_FEATURE_COUNT + row, column, bothCurve * both);
      matrix.add(NUMERIC_FEATURE_COUNT + row, NUMERIC_FEATURE_COUNT + column, partingCurve * both);
    }
  }
}

const DIFFICULTY_ROUNDS = 5;
const LEARNING_RATE = 0.05;
const WEIGHT_DECAY = 3e-3;

/** Fits which features make a prompt easy, beyond its numeric features: weights by bucket and family. */
export function fitDifficulty(
  trainingCases: readonly (TrainingCase & {
    readonly features: TrainingFeatures;
    readonly ease: number;
    readonly discrimination: number;
  })[],
  families: number,
): Float32Array {
  const weights = new Float32Array(BUCKET_COUNT * families);
  const moved = new Float32Array(BUCKET_COUNT * families).fill(1e-2);
  const random = randomFromSeed(12);
  for (let round = 0; round < DIFFICULTY_ROUNDS; round++) {
    for (const turn of shuffledIndexes(trainingCases.length, random)) {
      const one = trainingCases[turn];
      if (one === undefined) continue;
      const { features, family, answers, discrimination: parting } = one;
      const { buckets: places, weights: counts } = features;
      let ease = one.ease;
      for (let mark = 0; mark < places.length; mark++) {
        ease += (counts[mark] ?? 0) * (weights[(places[mark] ?? 0) * families + family] ?? 0);
      }
      let miss = 0;
      for (const { ability, strength, score } of answers) {
        miss += sigmoid(ability + ease + strength * parting) - score;
      }
      miss /= answers.length;
      for (let mark = 0; mark < places.length; mark++) {
        const at = (places[mark] ?? 0) * families + family;
        const weight = weights[at] ?? 0;
        const step = miss * (counts[mark] ?? 0) + WEIGHT_DECAY * weight;
        const sum = (moved[at] ?? 0) + step * step;
        moved[at] = sum;
        weights[at] = weight - (LEARNING_RATE * step) / Math.sqrt(sum);
      }
    }
  }
  return weights;
}

/** The shrinkage of a model towards all models. With less, it gets prompts for their shape that it does not answer better. */
const TRAIT_SHRINKAGE = 300;
const TRAIT_ROUNDS = 4;

/** By model and family: the effect of the numeric features on its chance, beyond that on all models. */
export function fitTraits(
  trainingCases: readonly (TrainingCase & { readonly ease: number; readonly discrimination: number })[],
  models: number,
  families: number,
): Float32Array {
  const traits = new Float32Array(models * families * NUMERIC_FEATURE_COUNT);
  const answers = trainingCases.flatMap(({ figures, family, ease, discrimination: parting, answers }) =>
    answers.map(({ model, ability, strength, score }) => ({
      place: model * families + family,
      figures,
      before: ability + ease + strength * parting,
      score,
    })),
  );
  for (let round = 0; round < TRAIT_ROUNDS; round++) {
    const matrixes = Array.from(
      { length: models * families },
      () => new Matrix(NUMERIC_FEATURE_COUNT, NUMERIC_FEATURE_COUNT + 1),
    );
    for (const { place, figures, before, score } of answers) {
      const matrix = matrixes[place];
      if (matrix === undefined) continue;
      let moved = before;
      for (let at = 0; at < NUMERIC_FEATURE_COUNT; at++)
        moved += (traits[place * NUMERIC_FEATURE_COUNT + at] ?? 0) * (figures[at] ?? 0);
      const p = sigmoid(moved);
      for (let row = 0; row < NUMERIC_FEATURE_COUNT; row++) {
        const one = figures[row] ?? 0;
        matrix.add(row, NUMERIC_FEATURE_COUNT, (score - p) * one);
        for (let column = 0; column < NUMERIC_FEATURE_COUNT; column++) {
          matrix.add(row, column, p * (1 - p) * one * (figures[column] ?? 0));
        }
      }
    }
    matrixes.forEach((matrix, place) => {
      for (let at = 0; at < NUMERIC_FEATURE_COUNT; at++) {
        matrix.add(at, at, TRAIT_SHRINKAGE);
        matrix.add(at, NUMERIC_FEATURE_COUNT, -TRAIT_SHRINKAGE * (traits[place * NUMERIC_FEATURE_COUNT + at] ?? 0));
      }
      solveLinearSystem(matrix).forEach((step, at) => {
        traits[place * NUMERIC_FEATURE_COUNT + at] = (traits[place * NUMERIC_FEATURE_COUNT + at] ?? 0) + step;
      });
    });
  }
  return traits;
}
