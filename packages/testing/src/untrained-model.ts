import { SUFFIX_FEATURES, WORD_PAIR_TABLE_BYTES } from "@trunkline/guard/classifier/adversarial-suffix.ts";
import { CLASS_COUNT, CLASSES } from "@trunkline/guard/classifier/classes.ts";
import { denseFeatureCount } from "@trunkline/guard/classifier/dense-features.ts";
import { FEATURE_BUCKETS } from "@trunkline/guard/classifier/feature-scanner.ts";
import { SafetyModel } from "@trunkline/guard/classifier/safety-model.ts";

/** A model with pseudo-random weights: the same text always gets the same score. */
export function untrainedModel(): SafetyModel {
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
    table: Uint8Array.from({ length: FEATURE_BUCKETS * CLASS_COUNT }, () => 128 + Math.round(random() * 80)),
    scales: Float32Array.from({ length: CLASS_COUNT }, () => 0.06),
    denseWeights: Float32Array.from({ length: CLASSES.length * denseFeatureCount(0) }, () => random() / 4),
    lexicon: new Int32Array(16),
    lexiconCategories: new Uint8Array(16),
    familiar: new Uint8Array(FEATURE_BUCKETS / 8),
    pairs: new Uint8Array(WORD_PAIR_TABLE_BYTES),
    tail: new Float32Array(SUFFIX_FEATURES),
  });
}
