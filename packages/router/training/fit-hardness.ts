import { randomFromSeed, shuffledIndexes } from "@trunkline/core/seeded.ts";
import { BUCKET_COUNT } from "../src/predict/scan-text.ts";
import type { TrainingCase } from "./fit-figures.ts";
import type { TrainingFeatures } from "./mark-text.ts";
import { sigmoid } from "./matrix.ts";

const DIFFICULTY_ROUNDS = 5;
const LEARNING_RATE = 0.05;
const WEIGHT_DECAY = 3e-3;

/** Which marks speak for a prompt being easy, beyond its figures: weights by place and family. */
export function fitDifficulty(
  trainingCases: readonly (TrainingCase & {
    readonly marks: TrainingFeatures;
    readonly ease: number;
    readonly discrimination: number;
  })[],
  families: number,
): Float32Array {
  const weights = new Float32Array(BUCKET_COUNT * families);
  const moved = new Float32Array(BUCKET_COUNT * families).fill(1e-2);
  const random = randomFromSeed(12);
  for (let round = 0; round < DIFFICULTY_ROUNDS; round++) {
    for (const turn of shuffledIndexes(trainingCases.length, random)) {
      const one = trainingCases[turn];
      if (one === undefined) continue;
      const { marks, family, answers, discrimination: parting } = one;
      const { buckets: places, weights: counts } = marks;
      let ease = one.ease;
      for (let mark = 0; mark < places.length; mark++) {
        ease += (counts[mark] ?? 0) * (weights[(places[mark] ?? 0) * families + family] ?? 0);
      }
      let miss = 0;
      for (const { ability, standing, score } of answers) {
        miss += sigmoid(ability + ease + standing * parting) - score;
      }
      miss /= answers.length;
      for (let mark = 0; mark < places.length; mark++) {
        const at = (places[mark] ?? 0) * families + family;
        const weight = weights[at] ?? 0;
        const step = miss * (counts[mark] ?? 0) + WEIGHT_DECAY * weight;
        const sum = (moved[at] ?? 0) + step * step;
        moved[at] = sum;
        weights[at] = weight - (LEARNING_RATE * step) / Math.sqrt(sum);
      }
    }
  }
  return weights;
}
