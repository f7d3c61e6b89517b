import { NUMERIC_FEATURE_COUNT } from "../src/predict/shape-of-text.ts";
import type { TrainingCase } from "./fit-figures.ts";
import { Matrix, sigmoid, solveLinearSystem } from "./matrix.ts";

/** How strongly a model is held to what holds for all: with less, it is sent prompts for their shape that it does no better. */
const TRAIT_SHRINKAGE = 300;
const TRAIT_ROUNDS = 4;

/** By model and family: how the figures move its own chance, beyond that of all. */
export function fitTraits(
  trainingCases: readonly (TrainingCase & { readonly ease: number; readonly discrimination: number })[],
  models: number,
  families: number,
): Float32Array {
  const traits = new Float32Array(models * families * NUMERIC_FEATURE_COUNT);
  const answers = trainingCases.flatMap(({ figures, family, ease, discrimination: parting, answers }) =>
    answers.map(({ model, ability, standing, score }) => ({
      place: model * families + family,
      figures,
      before: ability + ease + standing * parting,
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
        matrix.add(
          at,
          NUMERIC_FEATURE_COUNT,
          -TRAIT_SHRINKAGE * (traits[place * NUMERIC_FEATURE_COUNT + at] ?? 0),
        );
      }
      solveLinearSystem(matrix).forEach((step, at) => {
        traits[place * NUMERIC_FEATURE_COUNT + at] = (traits[place * NUMERIC_FEATURE_COUNT + at] ?? 0) + step;
      });
    });
  }
  return traits;
}
