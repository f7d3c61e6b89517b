import { seeded, shuffled } from "@trunkline/core/seeded.ts";
import { PLACES } from "../src/classifier/feature-scanner.ts";
import { isCue } from "../src/classifier/figures.ts";
import { HEADS } from "../src/classifier/heads.ts";
import { Adam } from "./adam.ts";
import { type Examples, FIGURES } from "./examples.ts";

export interface LinearSettings {
  /** How often all examples are gone through, and in how many batches, each of which is a step. */
  readonly turns: number;
  readonly batches: number;
  readonly rate: number;
  readonly figureRate: number;
  /** By how much weights of marks and of figures are drawn to nothing. */
  readonly draw: number;
  readonly figureDraw: number;
}

export interface Linear {
  /** By place: a weight for each head. */
  readonly table: Float32Array;
  /** By head: a weight for each figure. */
  readonly figures: Float32Array;
}

/** Of the first step so much is left for the last. */
const LAST_STEP = 0.1;
const heads = HEADS.length;
const OF_DOCUMENTS = HEADS.indexOf("attack_document");

/** Logistic regression for each head, on all marks and figures. */
export function fitLinear(examples: Examples, weight: Float32Array, settings: LinearSettings): Linear {
  const { turns, batches, rate, figureRate, draw, figureDraw } = settings;
  const { figuresFrom, figureAt, figureValue, marks, from, to, wanted, size } = examples;
  const places = new Adam(PLACES * heads, draw);
  const figures = new Adam(heads * FIGURES, figureDraw);
  const share = sharesOf(weight, batches);
  const order = shuffled(size, seeded(21));
  const taught = new Int32Array(heads);
  const scores = new Float64Array(heads);
  const steps = turns * batches;
  for (let step = 0; step < steps; step++) {
    for (let place = step % batches; place < size; place += batches) {
      const example = order[place] ?? 0;
      const row = example * heads;
      let asked = 0;
      for (let head = 0; head < heads; head++) if (weight[row + head] !== 0) taught[asked++] = head;
      if (asked === 0) continue;
      const start = from[example] ?? 0;
      const end = to[example] ?? 0;
      const root = 1 / Math.sqrt(end - start + 1);
      scores.fill(0);
      addMarks(places.weights, marks, start, end, taught, asked, scores);
      for (let which = 0; which < asked; which++) {
        const head = taught[which] ?? 0;
        let score = (scores[which] ?? 0) * root;
        for (let at = figuresFrom[example] ?? 0; at < (figuresFrom[example + 1] ?? 0); at++)
          score += (figureValue[at] ?? 0) * (figures.weights[head * FIGURES + (figureAt[at] ?? 0)] ?? 0);
        const counts = (weight[row + head] ?? 0) * (share[head] ?? 0);
        const slope = (1 / (1 + Math.exp(-score)) - (wanted[row + head] ?? 0)) * counts;
        for (let at = figuresFrom[example] ?? 0; at < (figuresFrom[example + 1] ?? 0); at++) {
          const figure = figureAt[at] ?? 0;
          if (!isWeighedBy(head, figure)) continue;
          const cell = head * FIGURES + figure;
          figures.slopes[cell] = (figures.slopes[cell] ?? 0) + slope * (figureValue[at] ?? 0);
        }
        scores[which] = slope * root;
      }
      tellMarks(places.slopes, marks, start, end, taught, asked, scores);
    }
    const pace = 1 - ((1 - LAST_STEP) * (step + 1)) / steps;
    places.step(rate * pace);
    figures.step(figureRate * pace);
  }
  return { table: places.weights, figures: figures.weights };
}

/** Cues speak of documents alone: harmless requests to an assistant are full of them. */
function isWeighedBy(head: number, figure: number): boolean {
  return head === OF_DOCUMENTS || !isCue(figure);
}

/** All that a head is taught in a batch counts about one. */
function sharesOf(weight: Float32Array, batches: number): Float64Array {
  const sums = new Float64Array(heads);
  for (let at = 0; at < weight.length; at++) sums[at % heads] = (sums[at % heads] ?? 0) + (weight[at] ?? 0);
  return sums.map((sum) => (sum === 0 ? 0 : batches / sum));
}

/** Adds what each mark says for the heads that are asked. */
function addMarks(
  table: Float32Array,
  marks: Int32Array,
  start: number,
  end: number,
  taught: Int32Array,
  asked: number,
  sums: Float64Array,
): void {
  for (let at = start; at < end; at++) {
    const row = (marks[at] ?? 0) * heads;
    for (let which = 0; which < asked; which++)
      sums[which] = (sums[which] ?? 0) + (table[row + (taught[which] ?? 0)] ?? 0);
  }
}

/** Tells each mark how wrong its heads were. */
function tellMarks(
  slopes: Float32Array,
  marks: Int32Array,
  start: number,
  end: number,
  taught: Int32Array,
  asked: number,
  wrong: Float64Array,
): void {
  for (let at = start; at < end; at++) {
    const row = (marks[at] ?? 0) * heads;
    for (let which = 0; which < asked; which++) {
      const cell = row + (taught[which] ?? 0);
      slopes[cell] = (slopes[cell] ?? 0) + (wrong[which] ?? 0);
    }
  }
}
