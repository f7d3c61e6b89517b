/** What raw scores mean: both rise from left to right, and between two points the line is straight. */
export interface Calibration {
  readonly raw: readonly number[];
  readonly score: readonly number[];
}

/** The score of a raw one, above 0 and below 1. Beyond the ends it still rises, ever less: no two different texts get the same. */
export function applyCalibration({ raw, score }: Calibration, value: number): number {
  const last = raw.length - 1;
  const lowest = raw[0] ?? 0;
  const highest = raw[last] ?? 0;
  if (value <= lowest) return (score[0] ?? 0) * Math.exp((value - lowest) / 2);
  if (value >= highest) {
    const left = 1 - (score[last] ?? 1);
    return 1 - left * Math.exp((highest - value) / 2);
  }
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((raw[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  const from = raw[low] ?? 0;
  const share = (value - from) / ((raw[high] ?? 0) - from);
  const base = score[low] ?? 0;
  return base + share * ((score[high] ?? 0) - base);
}

export function isValidCalibration({ raw, score }: Calibration): boolean {
  const rises = (values: readonly number[]) =>
    values.every((value, at) => Number.isFinite(value) && (at === 0 || value > (values[at - 1] ?? value)));
  const inside = (score[0] ?? -1) > 0 && (score.at(-1) ?? 2) < 1;
  return raw.length >= 2 && raw.length === score.length && rises(raw) && rises(score) && inside;
}
