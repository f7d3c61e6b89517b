/** How far a slope and its square are remembered. */
const SLOPE_MEMORY = 0.9;
const SQUARE_MEMORY = 0.999;
const LEAST = 1e-8;

/** Weights that go down their slopes, each at a pace of its own. */
export class Adam {
  readonly weights: Float32Array;
  readonly slopes: Float32Array;
  readonly #mean: Float32Array;
  readonly #square: Float32Array;
  readonly #draw: number;
  #turn = 0;

  /** `draw`: by how much every weight is drawn to nothing. */
  constructor(size: number, draw: number) {
    this.weights = new Float32Array(size);
    this.slopes = new Float32Array(size);
    this.#mean = new Float32Array(size);
    this.#square = new Float32Array(size);
    this.#draw = draw;
  }

  /** One step down the slopes, which are then forgotten. */
  step(rate: number): void {
    this.#turn++;
    const meanShare = 1 - SLOPE_MEMORY ** this.#turn;
    const squareShare = 1 - SQUARE_MEMORY ** this.#turn;
    const { weights, slopes } = this;
    const mean = this.#mean;
    const square = this.#square;
    for (let at = 0; at < weights.length; at++) {
      const weight = weights[at] ?? 0;
      const slope = (slopes[at] ?? 0) + this.#draw * weight;
      const itsMean = SLOPE_MEMORY * (mean[at] ?? 0) + (1 - SLOPE_MEMORY) * slope;
      const itsSquare = SQUARE_MEMORY * (square[at] ?? 0) + (1 - SQUARE_MEMORY) * slope * slope;
      mean[at] = itsMean;
      square[at] = itsSquare;
      weights[at] = weight - (rate * (itsMean / meanShare)) / (Math.sqrt(itsSquare / squareShare) + LEAST);
    }
    slopes.fill(0);
  }
}
