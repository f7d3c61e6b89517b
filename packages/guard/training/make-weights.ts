import { ZERO } from "../src/classifier/block-sums.ts";
import { PLACES, type Vocabulary } from "../src/classifier/feature-scanner.ts";
import { COLUMNS } from "../src/classifier/heads.ts";
import type { SafetyWeights } from "../src/classifier/weights.ts";
import { WEIGHED_RULES } from "../src/rules/rule-sets.ts";
import { balanced } from "./balance.ts";
import type { Examples } from "./examples.ts";
import { fitLinear, type LinearSettings } from "./fit-linear.ts";
import type { Row } from "./rows.ts";

export const SETTINGS: LinearSettings = {
  turns: 6,
  batches: 20,
  rate: 0.08,
  figureRate: 0.04,
  draw: 3e-6,
  figureDraw: 4e-5,
};

/** Beyond so many times its spread a number of a column is cut, so that a few large ones don't blur the others. */
const SPREADS = 8;

/** What the heads are taught; what their scores mean, and what an odd tail is, is learnt apart. */
export type HeadWeights = Omit<SafetyWeights, "calibrations" | "pairs" | "tail">;

/** Teaches the model with all rows but those that are left out. */
export function makeWeights(
  examples: Examples,
  rows: readonly Row[],
  vocabulary: Vocabulary,
  isTaught: (row: number) => boolean,
  settings = SETTINGS,
): HeadWeights {
  const weight = balanced(examples, rows, isTaught);
  const { table, figures } = fitLinear(examples, weight, settings);
  return { ...vocabulary, rules: WEIGHED_RULES, ...packed(table), figures };
}

/** The table as one of small numbers. Figures stay as they are: rules blur easily. */
function packed(from: Float32Array): Pick<SafetyWeights, "table" | "scales"> {
  const table = new Uint8Array(PLACES * COLUMNS);
  const scales = new Float32Array(COLUMNS);
  for (let column = 0; column < COLUMNS; column++) {
    let squares = 0;
    let largest = 0;
    for (let cell = column; cell < from.length; cell += COLUMNS) {
      const value = Math.abs(from[cell] ?? 0);
      squares += value * value;
      largest = Math.max(largest, value);
    }
    const scale = Math.min(largest, SPREADS * Math.sqrt(squares / PLACES)) / 127 || 1;
    scales[column] = scale;
    for (let cell = column; cell < from.length; cell += COLUMNS) {
      const small = Math.round((from[cell] ?? 0) / scale);
      table[cell] = ZERO + Math.max(-127, Math.min(127, small));
    }
  }
  return { table, scales };
}
