import { randomFromSeed, shuffledIndexes } from "@trunkline/core/sampling.ts";
import { BUCKET_COUNT } from "../src/predict/counted-words.ts";
import { sigmoid } from "./matrix.ts";
import type { Level } from "./template-phrases.ts";
import type { TrainingFeatures } from "./training-data.ts";

/** How easy a composed prompt of each level is, in log-odds: a model with a claim of 0.5 satisfies with this chance. */
const EASE_OF_LEVEL: Readonly<Record<Level, number>> = { 0: 5, 1: 3.2, 2: 1.2, 3: -0.6, 4: -2 };

const ROUNDS = 12;
const LEARNING_RATE = 0.2;
const WEIGHT_DECAY = 1e-4;
/** Composed prompts have no chance in their labels, so their error counts more. */
const COMPOSED_WEIGHT = 4;

/** A composed prompt. */
export interface ComposedPrompt {
  readonly domain: string;
  readonly level: Level;
  readonly features: TrainingFeatures;
}

/** A prompt with the scores of models of known ability in its domain. */
export interface GradedPrompt {
  readonly features: TrainingFeatures;
  readonly domainEase: number;
  readonly answers: readonly { readonly ability: number; readonly score: number }[];
}

/** Fits how easy a prompt is for all models, whatever its domain: one weight for each bucket, in log-odds. */
export function fitPromptEase(graded: readonly GradedPrompt[], composed: readonly ComposedPrompt[]): Float32Array {
  const weights = new Float32Array(BUCKET_COUNT);
  const moved = new Float32Array(BUCKET_COUNT).fill(1e-4);
  const random = randomFromSeed(13);
  for (let round = 0; round < ROUNDS; round++) {
    for (const turn of shuffledIndexes(graded.length + composed.length, random)) {
      const made = composed[turn];
      const answered = graded[turn - composed.length];
      const features = made?.features ?? answered?.features;
      if (features === undefined) continue;
      const { buckets, weights: counts } = features;
      let ease = 0;
      for (let mark = 0; mark < buckets.length; mark++) {
        ease += (counts[mark] ?? 0) * (weights[buckets[mark] ?? 0] ?? 0);
      }
      const miss =
        made === undefined
          ? meanMiss(answered, ease)
          : COMPOSED_WEIGHT * (sigmoid(ease - EASE_OF_LEVEL[made.level]) - 0.5);
      for (let mark = 0; mark < buckets.length; mark++) {
        const at = buckets[mark] ?? 0;
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

/** By how much the models do worse than they would if the prompt were this easy. */
function meanMiss(graded: GradedPrompt | undefined, ease: number): number {
  if (graded === undefined || graded.answers.length === 0) return 0;
  let miss = 0;
  for (const { ability, score } of graded.answers) miss += sigmoid(ability - graded.domainEase + ease) - score;
  return miss / graded.answers.length;
}
