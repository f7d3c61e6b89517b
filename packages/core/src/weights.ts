/** How much cost, speed and quality count against one another in `hybrid`. Together they are 1. */
export interface StrategyWeights {
  readonly cost: number;
  readonly speed: number;
  readonly quality: number;
}

/** What `hybrid` weighs where an account says nothing: cost against performance, which is quality and speed. */
export const DEFAULT_WEIGHTS: StrategyWeights = { cost: 0.4, speed: 0.2, quality: 0.4 };

/** Thirds can't be written exactly: what is this near to 1 is taken for it. */
const WEIGHTS_SUM_TOLERANCE = 0.011;
const WEIGHT_STEPS = 10_000;

/** Whether three numbers are meant to be weights. */
export function areValidWeights({ cost, speed, quality }: StrategyWeights): boolean {
  return Math.min(cost, speed, quality) >= 0 && Math.abs(cost + speed + quality - 1) <= WEIGHTS_SUM_TOLERANCE;
}

/** Weights that are exactly 1 together, with four decimals each. */
export function normaliseWeights({ cost, speed, quality }: StrategyWeights): StrategyWeights {
  const sum = cost + speed + quality;
  const [ofCost, ofSpeed] = [
    Math.round((cost / sum) * WEIGHT_STEPS),
    Math.round((speed / sum) * WEIGHT_STEPS),
  ];
  // Two that are rounded up may leave a hair less than nothing.
  const ofQuality = Math.max(WEIGHT_STEPS - ofCost - ofSpeed, 0);
  return { cost: ofCost / WEIGHT_STEPS, speed: ofSpeed / WEIGHT_STEPS, quality: ofQuality / WEIGHT_STEPS };
}
