import { PAIR_BYTES, TAIL_FIGURES } from "@trunkline/guard/classifier/adversarial-suffix.ts";
import { PLACES } from "@trunkline/guard/classifier/feature-scanner.ts";
import { figuresFor } from "@trunkline/guard/classifier/figures.ts";
import { COLUMNS, HEADS } from "@trunkline/guard/classifier/heads.ts";
import { SafetyModel } from "@trunkline/guard/classifier/safety-model.ts";

/** A model that was taught nothing, and has an opinion of every text all the same: always the same one of the same. */
export function untaughtModel(): SafetyModel {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32 - 0.5;
  };
  const line = { raw: [-4, 4], score: [0.02, 0.98] };
  return new SafetyModel({
    rules: [],
    calibrations: {
      attack_user: line,
      attack_user_window: line,
      jailbreak: line,
      attack_document: line,
      unsafe: line,
      moderation: line,
    },
    table: Uint8Array.from({ length: PLACES * COLUMNS }, () => 128 + Math.round(random() * 80)),
    scales: Float32Array.from({ length: COLUMNS }, () => 0.06),
    figures: Float32Array.from({ length: HEADS.length * figuresFor(0) }, () => random() / 4),
    lexicon: new Uint32Array(16),
    classes: new Uint8Array(16),
    familiar: new Uint8Array(PLACES / 8),
    pairs: new Uint8Array(PAIR_BYTES),
    tail: new Float32Array(TAIL_FIGURES),
  });
}
