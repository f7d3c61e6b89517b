import { NUMERIC_FEATURE_COUNT } from "../src/predict/shape-of-text.ts";
import { Matrix, sigmoid, solveLinearSystem } from "./matrix.ts";

/** One prompt with what is known of each model that answered it before the prompt is read. */
export interface TrainingCase {
  readonly figures: Float64Array;
  readonly domain: number;
  readonly family: number;
  readonly answers: readonly Answer[];
}

interface Answer {
  readonly model: number;
  readonly ability: number;
  readonly standing: number;
  readonly score: number;
}

/** Answers to one prompt hang together: so many independent ones they are worth, however many there are. */
const INDEPENDENT_ANSWERS = 3;
const EASE_SHRINKAGE = { family: 15, domain: 30 };
const DISCRIMINATION_SHRINKAGE = { family: 10, domain: 30 };
const NUMERIC_ROUNDS = 6;

/** By domain: weights of the figures for the ease, then for the parting of strong and weak; domains shrunk to families. */
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
  for (const { ability, standing, score } of answers) {
    const p = sigmoid(ability + ease + standing * parting);
    const curve = p * (1 - p);
    easePush += together * (score - p);
    partingPush += standing * (score - p);
    easeCurve += together * curve;
    bothCurve += together * curve * standing;
    partingCurve += curve * standing ** 2;
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
