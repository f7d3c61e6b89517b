import { randomFromSeed, shuffledIndexes } from "@trunkline/core/sampling.ts";
import { BUCKET_COUNT } from "../src/predict/counted-words.ts";
import type { TrainingFeatures } from "./training-data.ts";

const ROUNDS = 6;
const LEARNING_RATE = 0.3;
const WEIGHT_DECAY = 3e-6;
/** Smaller errors change no weight after rounding. */
const MIN_ERROR = 1e-3;

/** Fits the domains by logistic regression: weights by bucket and domain. */
export function fitDomains(
  texts: readonly { readonly features: TrainingFeatures; readonly at: number }[],
  domains: number,
): Float32Array {
  const weights = new Float32Array(BUCKET_COUNT * domains);
  const moved = new Float32Array(BUCKET_COUNT * domains).fill(1e-8);
  const chances = new Float64Array(domains);
  const missed = new Int32Array(domains);
  const random = randomFromSeed(11);
  for (let round = 0; round < ROUNDS; round++) {
    for (const turn of shuffledIndexes(texts.length, random)) {
      const text = texts[turn];
      if (text === undefined) continue;
      domainProbabilities(weights, text.features, chances);
      chances[text.at] = (chances[text.at] ?? 0) - 1;
      let count = 0;
      for (let domain = 0; domain < domains; domain++) {
        if (Math.abs(chances[domain] ?? 0) > MIN_ERROR) missed[count++] = domain;
      }
      const { buckets: places, weights: counts } = text.features;
      for (let mark = 0; mark < places.length; mark++) {
        const row = (places[mark] ?? 0) * domains;
        for (let at = 0; at < count; at++) {
          const domain = missed[at] ?? 0;
          const weight = weights[row + domain] ?? 0;
          const step = (chances[domain] ?? 0) * (counts[mark] ?? 0) + WEIGHT_DECAY * weight;
          const sum = (moved[row + domain] ?? 0) + step * step;
          moved[row + domain] = sum;
          weights[row + domain] = weight - (LEARNING_RATE * step) / Math.sqrt(sum);
        }
      }
    }
  }
  return weights;
}

/** Writes the probability of each domain. */
function domainProbabilities(
  weights: Float32Array,
  { buckets: places, weights: counts }: TrainingFeatures,
  into: Float64Array,
): void {
  const domains = into.length;
  into.fill(0);
  for (let mark = 0; mark < places.length; mark++) {
    const row = (places[mark] ?? 0) * domains;
    const count = counts[mark] ?? 0;
    for (let domain = 0; domain < domains; domain++) {
      into[domain] = (into[domain] ?? 0) + count * (weights[row + domain] ?? 0);
    }
  }
  let highest = Number.NEGATIVE_INFINITY;
  for (const value of into) highest = Math.max(highest, value);
  let whole = 0;
  for (let domain = 0; domain < domains; domain++) {
    const chance = Math.exp((into[domain] ?? 0) - highest);
    into[domain] = chance;
    whole += chance;
  }
  for (let domain = 0; domain < domains; domain++) into[domain] = (into[domain] ?? 0) / whole;
}
