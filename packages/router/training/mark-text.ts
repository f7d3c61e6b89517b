import { createHashedFeatures, hashTextFeatures } from "../src/predict/scan-text.ts";
import {
  NUMERIC_FEATURE_COUNT,
  SHAPE_FEATURE_COUNT,
  writeNumericFeatures,
  writeShapeBuckets,
} from "../src/predict/shape-of-text.ts";
import { SHAPE_WEIGHT } from "../src/predict/text-reader.ts";

/** The marks of a text as the reader sees them: places of the table with what each counts. */
export interface TrainingFeatures {
  readonly buckets: Uint16Array;
  readonly weights: Float32Array;
  readonly figures: Float64Array;
}

const hashedFeatures = createHashedFeatures();
const shapeBuckets = new Uint16Array(SHAPE_FEATURE_COUNT);

export function extractTrainingFeatures(text: string): TrainingFeatures {
  hashTextFeatures(text, hashedFeatures);
  writeShapeBuckets(hashedFeatures, shapeBuckets);
  const figures = new Float64Array(NUMERIC_FEATURE_COUNT);
  writeNumericFeatures(hashedFeatures, figures);
  const places = new Uint16Array(SHAPE_FEATURE_COUNT + hashedFeatures.size);
  places.set(shapeBuckets);
  places.set(hashedFeatures.buckets.subarray(0, hashedFeatures.size), SHAPE_FEATURE_COUNT);
  const counts = new Float32Array(places.length).fill(1 / Math.sqrt(hashedFeatures.size + 1));
  counts.fill(SHAPE_WEIGHT, 0, SHAPE_FEATURE_COUNT);
  return { buckets: places, weights: counts, figures };
}
