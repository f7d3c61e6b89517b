import { isCue } from "../../server/src/safety/model/figures.ts";
import { HEADS } from "../../server/src/safety/model/heads.ts";
import { type Examples, FIGURES } from "./examples.ts";

/** By how much each weight is drawn to nothing, so that a rule that was right a hundred times is not believed blindly. */
const DRAW = 2e-3;

/** What each figure says for each head, as it is learnt. Cues speak of documents alone: harmless requests to an assistant are full of them. */
export class FigureWeights {
  readonly weights: Float32Array;
  readonly #used: Float32Array;
  readonly #examples: Examples;
  readonly #rate: number;

  constructor(examples: Examples, heads: number, rate: number) {
    this.weights = new Float32Array(heads * FIGURES);
    this.#used = new Float32Array(heads * FIGURES).fill(0.1);
    this.#examples = examples;
    this.#rate = rate;
  }

  score(example: number, head: number): number {
    const { figuresFrom, figureAt, figureValue } = this.#examples;
    const row = head * FIGURES;
    const end = figuresFrom[example + 1] ?? 0;
    let sum = 0;
    for (let at = figuresFrom[example] ?? 0; at < end; at++)
      sum += (figureValue[at] ?? 0) * (this.weights[row + (figureAt[at] ?? 0)] ?? 0);
    return sum;
  }

  learn(example: number, head: number, slope: number): void {
    const { figuresFrom, figureAt, figureValue } = this.#examples;
    const { weights } = this;
    const isOfDocuments = HEADS[head] === "attack_document";
    const row = head * FIGURES;
    const end = figuresFrom[example + 1] ?? 0;
    for (let at = figuresFrom[example] ?? 0; at < end; at++) {
      const figure = figureAt[at] ?? 0;
      if (!isOfDocuments && isCue(figure)) continue;
      const cell = row + figure;
      const weight = weights[cell] ?? 0;
      const step = slope * (figureValue[at] ?? 0) + DRAW * weight;
      const sum = (this.#used[cell] ?? 0) + step * step;
      this.#used[cell] = sum;
      weights[cell] = weight - (this.#rate * step) / Math.sqrt(sum);
    }
  }
}
