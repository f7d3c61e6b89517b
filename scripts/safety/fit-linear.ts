import { HEADS, LINEAR_HEADS } from "../../server/src/safety/model/heads.ts";
import { PLACES } from "../../server/src/safety/model/word-scanner.ts";
import { seeded, shuffled } from "../kit/seeded.ts";
import type { Examples } from "./examples.ts";
import { FigureWeights } from "./figure-weights.ts";
import { MarkSample } from "./mark-sample.ts";

export interface LinearSettings {
  readonly epochs: number;
  readonly rate: number;
  readonly figureRate: number;
  /** By how much every weight is drawn to nothing each time that it is met. */
  readonly decay: number;
  /** The share of marks that is left out of an example by chance. */
  readonly dropout: number;
}

export interface Linear {
  /** By place: a weight for each head. */
  readonly table: Float32Array;
  readonly figures: Float32Array;
}

/** Logistic regression for each linear head, on all marks and figures, with a step for each weight that shrinks as it is used. */
export function fitLinear(examples: Examples, weight: Float32Array, settings: LinearSettings): Linear {
  const { marks, from, to, wanted, size } = examples;
  const { epochs, rate, figureRate, decay, dropout } = settings;
  const heads = LINEAR_HEADS;
  const table = new Float32Array(PLACES * heads);
  const used = new Float32Array(PLACES * heads).fill(1e-3);
  const figures = new FigureWeights(examples, heads, figureRate);
  const random = seeded(21);
  const sample = new MarkSample(31);
  const { kept } = sample;
  const sums = new Float64Array(heads);
  const slopes = new Float64Array(heads);
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (const example of shuffled(size, random)) {
      let taught = 0;
      for (let head = 0; head < heads; head++) taught += weight[example * HEADS.length + head] ?? 0;
      if (taught === 0) continue;
      const start = from[example] ?? 0;
      const length = (to[example] ?? 0) - start;
      const met = sample.take(marks, start, length, dropout);
      // As much as all its marks would weigh.
      const root = length / met / Math.sqrt(length + 1);
      sums.fill(0);
      for (let at = 0; at < met; at++) {
        const place = (kept[at] ?? 0) * heads;
        for (let head = 0; head < heads; head++) sums[head] = (sums[head] ?? 0) + (table[place + head] ?? 0);
      }
      for (let head = 0; head < heads; head++) {
        const counts = weight[example * HEADS.length + head] ?? 0;
        slopes[head] = 0;
        if (counts === 0) continue;
        const score = (sums[head] ?? 0) * root + figures.score(example, head);
        const slope = (1 / (1 + Math.exp(-score)) - (wanted[example * HEADS.length + head] ?? 0)) * counts;
        slopes[head] = slope * root;
        figures.learn(example, head, slope);
      }
      for (let head = 0; head < heads; head++) {
        const slope = slopes[head] ?? 0;
        if (slope === 0) continue;
        for (let at = 0; at < met; at++) {
          const cell = (kept[at] ?? 0) * heads + head;
          const value = table[cell] ?? 0;
          const step = slope + decay * value;
          const sum = (used[cell] ?? 0) + step * step;
          used[cell] = sum;
          table[cell] = value - (rate * step) / Math.sqrt(sum);
        }
      }
    }
  }
  return { table, figures: figures.weights };
}
