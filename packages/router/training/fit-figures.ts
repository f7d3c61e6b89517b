import { FIGURES } from "../src/predict/shape-of-text.ts";
import { chance, Grid, solve } from "./matrix.ts";

/** One prompt with what is known of each model that answered it before the prompt is read. */
export interface Case {
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
const INDEPENDENT = 3;
const EASE_SHRINKING = { family: 15, domain: 30 };
const PARTING_SHRINKING = { family: 10, domain: 30 };
const ROUNDS = 6;

/** By domain: weights of the figures for the ease, then for the parting of strong and weak; domains shrunk to families. */
export function fitFigures(cases: readonly Case[], familyOf: readonly number[], families: number): Grid {
  const fitted = new Grid(familyOf.length, 2 * FIGURES);
  for (let family = 0; family < families; family++) {
    const ofFamily = cases.filter((one) => one.family === family);
    const common = shrunkFit(ofFamily, new Float64Array(2 * FIGURES), "family");
    familyOf.forEach((its, domain) => {
      if (its !== family) return;
      const own = shrunkFit(
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

function shrunkFit(cases: readonly Case[], around: Float64Array, level: "family" | "domain"): Float64Array {
  const size = 2 * FIGURES;
  const weights = around.slice();
  for (let round = 0; round < ROUNDS; round++) {
    const grid = new Grid(size, size + 1);
    for (const one of cases) addCase(grid, one, weights);
    for (let at = 0; at < size; at++) {
      const isParting = at >= FIGURES;
      const shrinking = (isParting ? PARTING_SHRINKING : EASE_SHRINKING)[level];
      grid.add(at, at, shrinking);
      grid.add(at, size, -shrinking * ((weights[at] ?? 0) - (around[at] ?? 0)));
    }
    const step = solve(grid);
    for (let at = 0; at < size; at++) weights[at] = (weights[at] ?? 0) + (step[at] ?? 0);
  }
  return weights;
}

function addCase(grid: Grid, { figures, answers }: Case, weights: Float64Array): void {
  let ease = 0;
  let parting = 0;
  for (let at = 0; at < FIGURES; at++) {
    ease += (weights[at] ?? 0) * (figures[at] ?? 0);
    parting += (weights[FIGURES + at] ?? 0) * (figures[at] ?? 0);
  }
  const together = INDEPENDENT / (answers.length + INDEPENDENT - 1);
  let easePush = 0;
  let partingPush = 0;
  let easeCurve = 0;
  let bothCurve = 0;
  let partingCurve = 0;
  for (const { ability, standing, score } of answers) {
    const p = chance(ability + ease + standing * parting);
    const curve = p * (1 - p);
    easePush += together * (score - p);
    partingPush += standing * (score - p);
    easeCurve += together * curve;
    bothCurve += together * curve * standing;
    partingCurve += curve * standing ** 2;
  }
  const size = 2 * FIGURES;
  for (let row = 0; row < FIGURES; row++) {
    const one = figures[row] ?? 0;
    grid.add(row, size, easePush * one);
    grid.add(FIGURES + row, size, partingPush * one);
    for (let column = 0; column < FIGURES; column++) {
      const both = one * (figures[column] ?? 0);
      grid.add(row, column, easeCurve * both);
      grid.add(row, FIGURES + column, bothCurve * both);
      grid.add(FIGURES + row, column, bothCurve * both);
      grid.add(FIGURES + row, FIGURES + column, partingCurve * both);
    }
  }
}
