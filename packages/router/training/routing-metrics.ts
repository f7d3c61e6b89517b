/** The scores of a pair of models on a prompt, and its rank: the higher, the sooner the strong model gets it. */
export interface PairCase {
  readonly strong: number;
  readonly weak: number;
  readonly rank: number;
}

export interface PairMetrics {
  /** The average share of the gap between weak and strong that is recovered, over all shares of strong calls. */
  readonly apgr: number;
  /** The share of strong calls that recovers half and four fifths of the gap. */
  readonly cpt50: number;
  readonly cpt80: number;
}

/** Sends an increasing share of the prompts by rank to the strong model. Ties are averaged. */
export function measurePair(cases: readonly PairCase[], steps = 10): PairMetrics {
  const gains = averagedGains(cases);
  const sums = [0];
  for (const gain of gains) sums.push((sums.at(-1) ?? 0) + gain);
  const gap = sums.at(-1) ?? 0;
  const won = Array.from({ length: steps + 1 }, (_, step) => {
    const calls = Math.round((cases.length * step) / steps);
    return { share: calls / cases.length, won: (sums[calls] ?? 0) / gap };
  });
  let area = 0;
  won.forEach((point, at) => {
    const before = won[at - 1];
    if (before !== undefined) area += ((point.share - before.share) * (point.won + before.won)) / 2;
  });
  return { apgr: area, cpt50: shareFor(won, 0.5), cpt80: shareFor(won, 0.8) };
}

/** The gain of each further strong call, in the order of rank; prompts of one rank get their average. */
function averagedGains(cases: readonly PairCase[]): number[] {
  const ordered = cases.toSorted((one, other) => other.rank - one.rank);
  const gains: number[] = [];
  for (let from = 0; from < ordered.length; ) {
    let to = from;
    let sum = 0;
    for (; to < ordered.length && ordered[to]?.rank === ordered[from]?.rank; to++) {
      sum += (ordered[to]?.strong ?? 0) - (ordered[to]?.weak ?? 0);
    }
    for (let at = from; at < to; at++) gains.push(sum / (to - from));
    from = to;
  }
  return gains;
}

function shareFor(curve: readonly { readonly share: number; readonly won: number }[], target: number): number {
  for (let at = 1; at < curve.length; at++) {
    const [before, here] = [curve[at - 1], curve[at]];
    if (before === undefined || here === undefined || here.won < target) continue;
    const step = here.won - before.won;
    const part = step <= 0 ? 1 : Math.max(0, (target - before.won) / step);
    return before.share + part * (here.share - before.share);
  }
  return 1;
}

/** The score and cost of each model on a prompt, with the predictions. */
export type PoolCase = readonly {
  readonly score: number;
  readonly cost: number;
  readonly predictedScore: number;
  readonly predictedCost: number;
}[];

export interface PoolMetrics {
  /** The mean quality over the costs from the cheapest to the most expensive model. */
  readonly area: number;
  /** The same without a router: single models and random mixtures of them. */
  readonly areaWithout: number;
  /** The saved share of the cost of the best single model at its quality; -1: the quality is not reached. */
  readonly saved: number;
  /** The gain over the best single model where cost does not count. */
  readonly qualityGain: number;
}

interface Point {
  readonly cost: number;
  readonly quality: number;
}

/** Each prompt goes to the model with the best predicted quality minus a factor times its cost; all factors are tried. */
export function measurePool(cases: readonly PoolCase[]): PoolMetrics {
  const models = cases[0]?.map((_, model) => model) ?? [];
  const alone = models.map((model) => meanOf(cases.map((one) => one[model])));
  const best = alone.toSorted((a, b) => b.quality - a.quality || a.cost - b.cost)[0] ?? {
    cost: 0,
    quality: 0,
  };
  const prices = [0, ...Array.from({ length: 101 }, (_, step) => 10 ** (-3 + step / 10))];
  const routed = prices.map((price) =>
    meanOf(
      cases.map((one) =>
        one.reduce((taken, other) =>
          other.predictedScore - price * other.predictedCost > taken.predictedScore - price * taken.predictedCost
            ? other
            : taken,
        ),
      ),
    ),
  );
  const range = [Math.min(...alone.map(({ cost }) => cost)), Math.max(...alone.map(({ cost }) => cost))] as const;
  const frontier = upperHull(routed);
  const needed = costFor(frontier, best.quality);
  return {
    area: areaUnder(frontier, range),
    areaWithout: areaUnder(upperHull(alone), range),
    saved: needed === undefined ? -1 : 1 - needed / best.cost,
    qualityGain: (routed[0]?.quality ?? 0) / best.quality - 1,
  };
}

/** The mean quality where every prompt goes to its best predicted model, and where all go to one model. */
export function poolQualities(cases: readonly PoolCase[]): {
  readonly routed: number;
  readonly single: readonly number[];
} {
  const routed = cases.map((one) =>
    one.reduce((taken, other) => (other.predictedScore > taken.predictedScore ? other : taken)),
  );
  const models = cases[0]?.map((_, model) => model) ?? [];
  return {
    routed: meanOf(routed).quality,
    single: models.map((model) => meanOf(cases.map((one) => one[model])).quality),
  };
}

function meanOf(answers: readonly ({ readonly score: number; readonly cost: number } | undefined)[]): Point {
  const sum = { cost: 0, quality: 0 };
  for (const answer of answers) {
    sum.cost += answer?.cost ?? 0;
    sum.quality += answer?.score ?? 0;
  }
  return { cost: sum.cost / answers.length, quality: sum.quality / answers.length };
}

/** The points that no mixture of two others beats, the cheapest first (upper convex hull). */
export function upperHull(points: readonly Point[]): Point[] {
  const hull: Point[] = [];
  for (const point of points.toSorted((a, b) => a.cost - b.cost || b.quality - a.quality)) {
    const last = hull.at(-1);
    if (last !== undefined && point.quality <= last.quality) continue;
    while (hull.length >= 2) {
      const [before, middle] = [hull.at(-2), hull.at(-1)];
      if (before === undefined || middle === undefined) break;
      const bend =
        (middle.cost - before.cost) * (point.quality - before.quality) -
        (middle.quality - before.quality) * (point.cost - before.cost);
      if (bend < 0) break;
      hull.pop();
    }
    hull.push(point);
  }
  return hull;
}

function qualityAt(hull: readonly Point[], cost: number): number {
  const first = hull[0];
  if (first === undefined) return 0;
  if (cost < first.cost) return (first.quality * cost) / first.cost;
  for (let at = 1; at < hull.length; at++) {
    const [before, here] = [hull[at - 1], hull[at]];
    if (before === undefined || here === undefined || cost > here.cost) continue;
    const part = (cost - before.cost) / (here.cost - before.cost);
    return before.quality + part * (here.quality - before.quality);
  }
  return hull.at(-1)?.quality ?? 0;
}

function costFor(hull: readonly Point[], quality: number): number | undefined {
  const first = hull[0];
  if (first === undefined || quality <= first.quality) return first?.cost;
  for (let at = 1; at < hull.length; at++) {
    const [before, here] = [hull[at - 1], hull[at]];
    if (before === undefined || here === undefined || quality > here.quality) continue;
    return before.cost + ((here.cost - before.cost) * (quality - before.quality)) / (here.quality - before.quality);
  }
  return undefined;
}

const SLICES = 400;

function areaUnder(hull: readonly Point[], [from, to]: readonly [number, number]): number {
  let sum = 0;
  for (let slice = 0; slice <= SLICES; slice++) {
    const edge = slice === 0 || slice === SLICES ? 0.5 : 1;
    sum += edge * qualityAt(hull, from + ((to - from) * slice) / SLICES);
  }
  return sum / SLICES;
}
