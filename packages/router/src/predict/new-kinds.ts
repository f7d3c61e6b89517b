import type { Inference } from "@trunkline/core/inference.ts";
import { BUCKET_COUNT, createHashedFeatures, hashTextFeatures } from "./scan-text.ts";
import { lastUserText } from "./subject-of.ts";

/** By how many texts the usual share of a mark counts beside what was seen in a kind. */
const PRIOR_WEIGHT = 4;
/** How many marks in a row say about as much as one: marks hang together. */
const CORRELATED_BUCKETS = 12;
/** A kind that was never seen before is believed when it is this much likelier than any text, in log-odds. */
const MIN_LOG_ODDS = 3;

/** Kinds of work that no table knows, found again by the words of their requests. */
export class NovelTaskClassifier {
  private readonly hashedFeatures = createHashedFeatures();
  private readonly tasks: readonly {
    readonly name: string;
    readonly gains: Float32Array;
    readonly base: number;
  }[];

  /** `usual`: how many of all texts have each mark. */
  constructor(texts: ReadonlyMap<string, readonly string[]>, usual: Float32Array) {
    const all = [...texts.values()].reduce((sum, { length }) => sum + length, 0);
    this.tasks = [...texts].map(([name, prompts]) => {
      const seen = new Float32Array(BUCKET_COUNT);
      for (const prompt of prompts) {
        hashTextFeatures(prompt, this.hashedFeatures);
        for (let at = 0; at < this.hashedFeatures.size; at++) {
          const place = this.hashedFeatures.buckets[at] ?? 0;
          seen[place] = (seen[place] ?? 0) + 1;
        }
      }
      const gains = new Float32Array(BUCKET_COUNT);
      for (let place = 0; place < BUCKET_COUNT; place++) {
        const share = usual[place] ?? 1;
        const here = ((seen[place] ?? 0) + PRIOR_WEIGHT * share) / (prompts.length + PRIOR_WEIGHT);
        gains[place] = Math.log(here / share);
      }
      return { name, gains, base: Math.log(prompts.length / all) };
    });
  }

  /** The kinds that a request may be of, each with its share; what is missing is of another kind. */
  sharesOf(inference: Inference): { readonly name: string; readonly share: number }[] {
    if (this.tasks.length === 0) return [];
    hashTextFeatures(lastUserText(inference), this.hashedFeatures);
    const { buckets: places, size } = this.hashedFeatures;
    const scores = this.tasks.map(({ gains, base }) => {
      let gain = 0;
      for (let at = 0; at < size; at++) gain += gains[places[at] ?? 0] ?? 0;
      return base + gain / Math.max(1, Math.min(CORRELATED_BUCKETS, size / 8));
    });
    const highest = Math.max(MIN_LOG_ODDS, ...scores);
    const parts = scores.map((score) => Math.exp(score - highest));
    const whole = parts.reduce((sum, part) => sum + part, 0) + Math.exp(MIN_LOG_ODDS - highest);
    return this.tasks.map(({ name }, at) => ({ name, share: (parts[at] ?? 0) / whole }));
  }
}
