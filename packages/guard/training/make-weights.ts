import { ZERO_OFFSET } from "../src/classifier/block-sums.ts";
import { FEATURE_BUCKETS, type Vocabulary } from "../src/classifier/feature-scanner.ts";
import { CLASS_COUNT } from "../src/classifier/heads.ts";
import type { SafetyWeights } from "../src/classifier/weights.ts";
import { SCORED_RULE_NAMES } from "../src/rules/rule-sets.ts";
import { balanceExamples } from "./balance.ts";
import type { Examples } from "./examples.ts";
import { fitLogisticRegression, type TrainingSettings } from "./fit-linear.ts";
import type { Row } from "./rows.ts";

export const TRAINING_SETTINGS: TrainingSettings = {
  turns: 6,
  batches: 20,
  learningRate: 0.08,
  denseLearningRate: 0.04,
  weightDecay: 3e-6,
  denseWeightDecay: 4e-5,
};

/** Beyond so many times its spread a number of a column is cut, so that a few large ones don't blur the others. */
const CLIP_DEVIATIONS = 8;

/** What the heads are taught; what their scores mean, and what an odd tail is, is learnt apart. */
export type ClassWeights = Omit<SafetyWeights, "calibrations" | "pairs" | "tail">;

/** Teaches the model with all rows but those that are left out. */
export function fitWeights(
  examples: Examples,
  rows: readonly Row[],
  vocabulary: Vocabulary,
  isTaught: (row: number) => boolean,
  settings = TRAINING_SETTINGS,
): ClassWeights {
  const weight = balanceExamples(examples, rows, isTaught);
  const { table, denseWeights: figures } = fitLogisticRegression(examples, weight, settings);
  return { ...vocabulary, rules: SCORED_RULE_NAMES, ...quantise(table), denseWeights: figures };
}

/** The table as one of small numbers. Figures stay as they are: rules blur easily. */
function quantise(from: Float32Array): Pick<SafetyWeights, "table" | "scales"> {
  const table = new Uint8Array(FEATURE_BUCKETS * CLASS_COUNT);
  const scales = new Float32Array(CLASS_COUNT);
  for (let column = 0; column < CLASS_COUNT; column++) {
    let squares = 0;
    let largest = 0;
    for (let cell = column; cell < from.length; cell += CLASS_COUNT) {
      const value = Math.abs(from[cell] ?? 0);
      squares += value * value;
      largest = Math.max(largest, value);
    }
    const scale = Math.min(largest, CLIP_DEVIATIONS * Math.sqrt(squares / FEATURE_BUCKETS)) / 127 || 1;
    scales[column] = scale;
    for (let cell = column; cell < from.length; cell += CLASS_COUNT) {
      const small = Math.round((from[cell] ?? 0) / scale);
      table[cell] = ZERO_OFFSET + Math.max(-127, Math.min(127, small));
    }
  }
  return { table, scales };
}
