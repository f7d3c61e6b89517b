/** Shares in whole percent; together they are 100. */
export interface Shares {
  readonly cost: number;
  readonly speed: number;
  readonly quality: number;
}

export type Measure = keyof Shares;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export const MEASURES: readonly Measure[] = ["cost", "speed", "quality"];

/** Where the corners of the triangle are, in the drawing's own units. */
export const CORNERS: Readonly<Record<Measure, Point>> = {
  quality: { x: 180, y: 46 },
  cost: { x: 46, y: 278 },
  speed: { x: 314, y: 278 },
};

/** Weights that add up to one, or nearly, as whole percents that add up to a hundred. */
export function sharesOf({ cost, speed, quality }: Shares): Shares {
  const sum = Math.max(cost, 0) + Math.max(speed, 0) + Math.max(quality, 0);
  if (sum === 0) return { cost: 34, speed: 33, quality: 33 };
  const ofCost = Math.round((Math.max(cost, 0) / sum) * 100);
  const ofSpeed = Math.min(Math.round((Math.max(speed, 0) / sum) * 100), 100 - ofCost);
  return { cost: ofCost, speed: ofSpeed, quality: 100 - ofCost - ofSpeed };
}

/** The shares as the API takes them. */
export function weightsOf({ cost, speed, quality }: Shares): Shares {
  return { cost: cost / 100, speed: speed / 100, quality: quality / 100 };
}

export function areSame(one: Shares, other: Shares): boolean {
  return MEASURES.every((measure) => one[measure] === other[measure]);
}

/** Gives one measure a share; the other two keep their ratio in what is left. */
export function withShare(shares: Shares, measure: Measure, percent: number): Shares {
  const share = Math.max(0, Math.min(100, Math.round(percent)));
  const [first, second] = MEASURES.filter((other) => other !== measure) as [Measure, Measure];
  const others = shares[first] + shares[second];
  const ofFirst = Math.round((100 - share) * (others === 0 ? 0.5 : shares[first] / others));
  return { ...shares, [measure]: share, [first]: ofFirst, [second]: 100 - share - ofFirst };
}

/** Moves towards a corner, or away from it. */
export function towards(shares: Shares, measure: Measure, step: number): Shares {
  return withShare(shares, measure, shares[measure] + step);
}

/** Where shares are on the triangle. */
export function pointOf(shares: Shares): Point {
  const at = (axis: keyof Point) =>
    MEASURES.reduce((sum, measure) => sum + (shares[measure] / 100) * CORNERS[measure][axis], 0);
  return { x: at("x"), y: at("y") };
}

/** The shares at a point; one beside the triangle counts as the nearest corner or edge would. */
export function sharesAt({ x, y }: Point): Shares {
  const { cost: a, speed: b, quality: c } = CORNERS;
  const whole = (b.y - c.y) * (a.x - c.x) + (c.x - b.x) * (a.y - c.y);
  const cost = ((b.y - c.y) * (x - c.x) + (c.x - b.x) * (y - c.y)) / whole;
  const speed = ((c.y - a.y) * (x - c.x) + (a.x - c.x) * (y - c.y)) / whole;
  return sharesOf({ cost, speed, quality: 1 - cost - speed });
}
