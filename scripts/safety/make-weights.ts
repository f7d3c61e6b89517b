import { ZERO } from "../../server/src/safety/model/block-sums.ts";
import { COLUMNS, DIMENSIONS, HEADS, LINEAR_HEADS } from "../../server/src/safety/model/heads.ts";
import type { SafetyWeights } from "../../server/src/safety/model/weights.ts";
import { PLACES, type Vocabulary } from "../../server/src/safety/model/word-scanner.ts";
import { WEIGHED_RULES } from "../../server/src/safety/rules/books.ts";
import { balanced } from "./balance.ts";
import { type Examples, FIGURES } from "./examples.ts";
import { type Bag, type BagSettings, fitBag } from "./fit-bag.ts";
import { fitLinear, type Linear, type LinearSettings } from "./fit-linear.ts";
import type { Row } from "./rows.ts";

export const SETTINGS: { readonly linear: LinearSettings; readonly bag: BagSettings } = {
  linear: { epochs: 3, rate: 0.08, figureRate: 0.05, decay: 1e-3, dropout: 0.1 },
  bag: { epochs: 3, rate: 0.05, figureRate: 0.05, denseRate: 0.1, decay: 0.01, dropout: 0.1 },
};

/** Beyond so many times its spread a number of a column is cut, so that a few large ones don't blur the others. */
const SPREADS = 8;

export type Uncalibrated = Omit<SafetyWeights, "calibrations">;

/** Teaches the model with all rows but those that are left out. */
export function makeWeights(
  examples: Examples,
  rows: readonly Row[],
  vocabulary: Vocabulary,
  isTaught: (row: number) => boolean,
  settings = SETTINGS,
): Uncalibrated {
  const weight = balanced(examples, rows, isTaught);
  const linear = fitLinear(examples, weight, settings.linear);
  const bag = fitBag(examples, weight, settings.bag);
  return { ...vocabulary, rules: WEIGHED_RULES, ...packed(linear, bag) };
}

/** Both tables as one of small numbers. */
function packed(linear: Linear, bag: Bag): Pick<SafetyWeights, "table" | "scales" | "dense" | "figures"> {
  const table = new Uint8Array(PLACES * COLUMNS);
  const scales = new Float32Array(COLUMNS);
  for (let column = 0; column < COLUMNS; column++) {
    const isLinear = column < LINEAR_HEADS;
    const from = isLinear ? linear.table : bag.table;
    const width = isLinear ? LINEAR_HEADS : DIMENSIONS;
    const offset = isLinear ? column : column - LINEAR_HEADS;
    let squares = 0;
    let largest = 0;
    for (let place = 0; place < PLACES; place++) {
      const value = Math.abs(from[place * width + offset] ?? 0);
      squares += value * value;
      largest = Math.max(largest, value);
    }
    const scale = Math.min(largest, SPREADS * Math.sqrt(squares / PLACES)) / 127 || 1;
    scales[column] = scale;
    for (let place = 0; place < PLACES; place++) {
      const small = Math.round((from[place * width + offset] ?? 0) / scale);
      table[place * COLUMNS + column] = ZERO + Math.max(-127, Math.min(127, small));
    }
  }
  const figures = new Float32Array((LINEAR_HEADS + HEADS.length) * FIGURES);
  figures.set(linear.figures);
  figures.set(bag.figures, LINEAR_HEADS * FIGURES);
  return { table, scales, dense: bag.dense, figures };
}
