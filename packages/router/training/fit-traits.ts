import { FIGURES } from "../src/predict/shape-of-text.ts";
import type { Case } from "./fit-figures.ts";
import { chance, Grid, solve } from "./matrix.ts";

/** How strongly a model is held to what holds for all: with less, it is sent prompts for their shape that it does no better. */
const SHRINKING = 300;
const ROUNDS = 4;

/** By model and family: how the figures move its own chance, beyond that of all. */
export function fitTraits(
  cases: readonly (Case & { readonly ease: number; readonly parting: number })[],
  models: number,
  families: number,
): Float32Array {
  const traits = new Float32Array(models * families * FIGURES);
  const answers = cases.flatMap(({ figures, family, ease, parting, answers }) =>
    answers.map(({ model, ability, standing, score }) => ({
      place: model * families + family,
      figures,
      before: ability + ease + standing * parting,
      score,
    })),
  );
  for (let round = 0; round < ROUNDS; round++) {
    const grids = Array.from({ length: models * families }, () => new Grid(FIGURES, FIGURES + 1));
    for (const { place, figures, before, score } of answers) {
      const grid = grids[place];
      if (grid === undefined) continue;
      let moved = before;
      for (let at = 0; at < FIGURES; at++) moved += (traits[place * FIGURES + at] ?? 0) * (figures[at] ?? 0);
      const p = chance(moved);
      for (let row = 0; row < FIGURES; row++) {
        const one = figures[row] ?? 0;
        grid.add(row, FIGURES, (score - p) * one);
        for (let column = 0; column < FIGURES; column++) {
          grid.add(row, column, p * (1 - p) * one * (figures[column] ?? 0));
        }
      }
    }
    grids.forEach((grid, place) => {
      for (let at = 0; at < FIGURES; at++) {
        grid.add(at, at, SHRINKING);
        grid.add(at, FIGURES, -SHRINKING * (traits[place * FIGURES + at] ?? 0));
      }
      solve(grid).forEach((step, at) => {
        traits[place * FIGURES + at] = (traits[place * FIGURES + at] ?? 0) + step;
      });
    });
  }
  return traits;
}
