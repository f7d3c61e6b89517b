/** Figures of how well scores part the good from the bad. */

/** The chance that something bad scores higher than something good, ties counting half. */
export function auc(bad: readonly number[], good: readonly number[]): number {
  const all = [
    ...bad.map((score) => ({ score, isBad: true })),
    ...good.map((score) => ({ score, isBad: false })),
  ];
  all.sort((a, b) => a.score - b.score);
  let ranks = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]?.score === all[from]?.score) to++;
    const rank = (from + to + 1) / 2;
    for (let at = from; at < to; at++) if (all[at]?.isBad === true) ranks += rank;
    from = to;
  }
  return (ranks - (bad.length * (bad.length + 1)) / 2) / (bad.length * good.length);
}

/** The mean precision over all thresholds at which something bad is found. */
export function averagePrecision(bad: readonly number[], good: readonly number[]): number {
  const all = [
    ...bad.map((score) => ({ score, isBad: true })),
    ...good.map((score) => ({ score, isBad: false })),
  ];
  all.sort((a, b) => b.score - a.score);
  let found = 0;
  let sum = 0;
  all.forEach(({ isBad }, at) => {
    if (!isBad) return;
    found++;
    sum += found / (at + 1);
  });
  return sum / bad.length;
}

/** The score that only a share of the good ones exceed. */
export function thresholdAt(good: readonly number[], share: number): number {
  const sorted = good.toSorted((a, b) => b - a);
  return sorted[Math.floor(share * sorted.length)] ?? Number.NEGATIVE_INFINITY;
}

export function shareAbove(scores: readonly number[], threshold: number): number {
  return scores.length === 0
    ? Number.NaN
    : scores.filter((score) => score > threshold).length / scores.length;
}

/** The best balance of precision and recall over all thresholds. */
export function bestF1(bad: readonly number[], good: readonly number[]): number {
  const all = [
    ...bad.map((score) => ({ score, isBad: true })),
    ...good.map((score) => ({ score, isBad: false })),
  ];
  all.sort((a, b) => b.score - a.score);
  let found = 0;
  let best = 0;
  all.forEach(({ isBad }, at) => {
    if (isBad) found++;
    best = Math.max(best, (2 * found) / (at + 1 + bad.length));
  });
  return best;
}
