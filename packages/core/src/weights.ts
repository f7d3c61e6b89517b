/** How much cost, speed and quality count against one another in `hybrid`. Together they are 1. */
export interface Weights {
  readonly cost: number;
  readonly speed: number;
  readonly quality: number;
}

/** What `hybrid` weighs where an account says nothing: cost against performance, which is quality and speed. */
export const DEFAULT_WEIGHTS: Weights = { cost: 0.4, speed: 0.2, quality: 0.4 };

/** Thirds can't be written exactly: what is this near to 1 is taken for it. */
const TOLERANCE = 0.011;
const STEPS = 10_000;

/** Whether three numbers are meant to be weights. */
export function areWeights({ cost, speed, quality }: Weights): boolean {
  return Math.min(cost, speed, quality) >= 0 && Math.abs(cost + speed + quality - 1) <= TOLERANCE;
}

/** Weights that are exactly 1 together, with four decimals each. */
export function settleWeights({ cost, speed, quality }: Weights): Weights {
  const sum = cost + speed + quality;
  const [ofCost, ofSpeed] = [Math.round((cost / sum) * STEPS), Math.round((speed / sum) * STEPS)];
  // Two that are rounded up may leave a hair less than nothing.
  const ofQuality = Math.max(STEPS - ofCost - ofSpeed, 0);
  return { cost: ofCost / STEPS, speed: ofSpeed / STEPS, quality: ofQuality / STEPS };
}
