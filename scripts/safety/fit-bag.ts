import { DIMENSIONS, HEADS } from "../../server/src/safety/model/heads.ts";
import { PLACES } from "../../server/src/safety/model/word-scanner.ts";
import { seeded, shuffled } from "../kit/seeded.ts";
import type { Examples } from "./examples.ts";
import { FigureWeights } from "./figure-weights.ts";
import { MarkSample } from "./mark-sample.ts";

export interface BagSettings {
  readonly epochs: number;
  readonly rate: number;
  readonly figureRate: number;
  readonly denseRate: number;
  readonly decay: number;
  readonly dropout: number;
}

export interface Bag {
  /** By place: what a mark adds to each dimension. */
  readonly table: Float32Array;
  readonly dense: Float32Array;
  readonly figures: Float32Array;
}

/** A few numbers for each mark, whose mean over a passage says what it is; all heads learn them together. */
export function fitBag(examples: Examples, weight: Float32Array, settings: BagSettings): Bag {
  const { marks, from, to, wanted, size } = examples;
  const { epochs, rate, figureRate, denseRate, decay, dropout } = settings;
  const heads = HEADS.length;
  const random = seeded(22);
  const table = Float32Array.from({ length: PLACES * DIMENSIONS }, () => (random() - 0.5) / DIMENSIONS);
  const dense = Float32Array.from({ length: heads * DIMENSIONS }, () => random() - 0.5);
  const used = new Float32Array(PLACES).fill(1e-4);
  const denseUsed = new Float32Array(heads * DIMENSIONS).fill(0.1);
  const figures = new FigureWeights(examples, heads, figureRate);
  const sample = new MarkSample(32);
  const { kept } = sample;
  const hidden = new Float64Array(DIMENSIONS);
  const back = new Float64Array(DIMENSIONS);
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (const example of shuffled(size, random)) {
      const start = from[example] ?? 0;
      const met = sample.take(marks, start, (to[example] ?? 0) - start, dropout);
      const mean = 1 / (met + 1);
      hidden.fill(0);
      for (let at = 0; at < met; at++) {
        const place = (kept[at] ?? 0) * DIMENSIONS;
        for (let d = 0; d < DIMENSIONS; d++) hidden[d] = (hidden[d] ?? 0) + (table[place + d] ?? 0);
      }
      for (let d = 0; d < DIMENSIONS; d++) hidden[d] = (hidden[d] ?? 0) * mean;
      back.fill(0);
      let isTaught = false;
      for (let head = 0; head < heads; head++) {
        const itsWeight = weight[example * heads + head] ?? 0;
        if (itsWeight === 0) continue;
        isTaught = true;
        const row = head * DIMENSIONS;
        let score = 0;
        for (let d = 0; d < DIMENSIONS; d++) score += (hidden[d] ?? 0) * (dense[row + d] ?? 0);
        score += figures.score(example, head);
        const slope = (1 / (1 + Math.exp(-score)) - (wanted[example * heads + head] ?? 0)) * itsWeight;
        for (let d = 0; d < DIMENSIONS; d++) {
          back[d] = (back[d] ?? 0) + slope * (dense[row + d] ?? 0);
          const step = slope * (hidden[d] ?? 0) + 1e-4 * (dense[row + d] ?? 0);
          denseUsed[row + d] = (denseUsed[row + d] ?? 0) + step * step;
          dense[row + d] = (dense[row + d] ?? 0) - (denseRate * step) / Math.sqrt(denseUsed[row + d] ?? 1);
        }
        figures.learn(example, head, slope);
      }
      if (!isTaught) continue;
      let power = 0;
      for (let d = 0; d < DIMENSIONS; d++) {
        back[d] = (back[d] ?? 0) * mean;
        power += (back[d] ?? 0) ** 2;
      }
      power /= DIMENSIONS;
      for (let at = 0; at < met; at++) {
        const row = kept[at] ?? 0;
        const place = row * DIMENSIONS;
        const sum = (used[row] ?? 0) + power;
        used[row] = sum;
        const pace = rate / Math.sqrt(sum);
        for (let d = 0; d < DIMENSIONS; d++) {
          const value = table[place + d] ?? 0;
          table[place + d] = value - pace * ((back[d] ?? 0) + decay * mean * value);
        }
      }
    }
  }
  return { table, dense, figures: figures.weights };
}
