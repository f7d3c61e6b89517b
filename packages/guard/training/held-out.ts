import { SUFFIX_FEATURES, WORD_PAIR_TABLE_BYTES } from "../src/classifier/adversarial-suffix.ts";
import type { Vocabulary } from "../src/classifier/feature-scanner.ts";
import type { SafetyWeights } from "../src/classifier/weights.ts";
import type { Examples } from "./examples.ts";
import { createFoldFilter, FOLD_COUNT, foldOf } from "./folds.ts";
import { type ClassWeights, fitWeights } from "./make-weights.ts";
import type { Row } from "./rows.ts";
import { type RawScores, RowScorer } from "./score-rows.ts";

/** A row, and what a model that never saw its source makes of it. */
export interface HeldOut extends RawScores {
  readonly row: Row;
}

/** Scores every row by a model that was taught without its source, and without whatever is nearly the same as a row of it. */
export function scoreHeldOut(
  examples: Examples,
  rows: readonly Row[],
  vocabulary: Vocabulary,
): readonly HeldOut[] {
  const isLeftOut = createFoldFilter(rows);
  const scored: HeldOut[] = [];
  for (let fold = 0; fold < FOLD_COUNT; fold++) {
    const weights = fitWeights(examples, rows, vocabulary, (row) => !isLeftOut(fold, row));
    const scorer = new RowScorer(withoutCalibrations(weights));
    for (const row of rows) {
      if (foldOf(row) === fold) scored.push({ row, ...scorer.score(row.text, row.channel) });
    }
    process.stdout.write(`fold ${fold + 1} of ${FOLD_COUNT}\n`);
  }
  return scored;
}

/** Raw scores need neither calibrations nor tails. */
function withoutCalibrations(weights: ClassWeights): SafetyWeights {
  const none = { raw: [0, 1], score: [0.25, 0.75] };
  return {
    ...weights,
    pairs: new Uint8Array(WORD_PAIR_TABLE_BYTES),
    tail: new Float32Array(SUFFIX_FEATURES),
    calibrations: {
      attack_user: none,
      attack_user_window: none,
      jailbreak: none,
      attack_document: none,
      unsafe: none,
      moderation: none,
    },
  };
}
