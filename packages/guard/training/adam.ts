/** How far a slope and its square are remembered. */
const GRADIENT_DECAY = 0.9;
const SQUARED_GRADIENT_DECAY = 0.999;
const EPSILON = 1e-8;

/** Weights that go down their slopes, each at a pace of its own. */
export class Adam {
  readonly weights: Float32Array;
  readonly gradients: Float32Array;
  readonly #mean: Float32Array;
  readonly #square: Float32Array;
  readonly #weightDecay: number;
  #stepCount = 0;

  /** `draw`: by how much every weight is drawn to nothing. */
  constructor(size: number, draw: number) {
    this.weights = new Float32Array(size);
    this.gradients = new Float32Array(size);
    this.#mean = new Float32Array(size);
    this.#square = new Float32Array(size);
    this.#weightDecay = draw;
  }

  /** One step down the slopes, which are then forgotten. */
  step(rate: number): void {
    this.#stepCount++;
    const meanShare = 1 - GRADIENT_DECAY ** this.#stepCount;
    const squareShare = 1 - SQUARED_GRADIENT_DECAY ** this.#stepCount;
    const { weights, gradients: slopes } = this;
    const mean = this.#mean;
    const square = this.#square;
    for (let at = 0; at < weights.length; at++) {
      const weight = weights[at] ?? 0;
      const slope = (slopes[at] ?? 0) + this.#weightDecay * weight;
      const itsMean = GRADIENT_DECAY * (mean[at] ?? 0) + (1 - GRADIENT_DECAY) * slope;
      const itsSquare =
        SQUARED_GRADIENT_DECAY * (square[at] ?? 0) + (1 - SQUARED_GRADIENT_DECAY) * slope * slope;
      mean[at] = itsMean;
      square[at] = itsSquare;
      weights[at] = weight - (rate * (itsMean / meanShare)) / (Math.sqrt(itsSquare / squareShare) + EPSILON);
    }
    slopes.fill(0);
  }
}
