import type { Random } from "@trunkline/core/random.ts";

/** Smooth randomness over the plane, in three textures. */
export interface Noise {
  /** Soft hills, about -1 to 1. */
  at(x: number, y: number): number;
  /** Noise upon finer noise, as in clouds: about -1 to 1. */
  layered(x: number, y: number, layers: number): number;
  /** Sharp crests with soft valleys, as in mountains: 0 to about 1. */
  ridged(x: number, y: number, layers: number): number;
}

/** Gradient noise: a random slope at every whole point, blended in between. */
export function createNoise(random: Random): Noise {
  const { order, slopeX, slopeY } = createSlopes(random);
  const slopeAt = (column: number, row: number, x: number, y: number): number => {
    const corner = order[(order[column & 255] ?? 0) + (row & 255)] ?? 0;
    return (slopeX[corner] ?? 0) * x + (slopeY[corner] ?? 0) * y;
  };
  const at = (x: number, y: number): number => {
    const column = Math.floor(x);
    const row = Math.floor(y);
    const dx = x - column;
    const dy = y - row;
    const fadeX = dx * dx * dx * (dx * (dx * 6 - 15) + 10);
    const fadeY = dy * dy * dy * (dy * (dy * 6 - 15) + 10);
    const topLeft = slopeAt(column, row, dx, dy);
    const topRight = slopeAt(column + 1, row, dx - 1, dy);
    const bottomLeft = slopeAt(column, row + 1, dx, dy - 1);
    const bottomRight = slopeAt(column + 1, row + 1, dx - 1, dy - 1);
    const top = topLeft + fadeX * (topRight - topLeft);
    const bottom = bottomLeft + fadeX * (bottomRight - bottomLeft);
    return top + fadeY * (bottom - top);
  };
  return {
    at,
    layered(x, y, layers) {
      let sum = 0;
      let height = 0.5;
      let scale = 1;
      for (let i = 0; i < layers; i += 1) {
        sum += height * at(x * scale + i * 17.3, y * scale - i * 9.1);
        height *= 0.5;
        scale *= 2.03;
      }
      return sum;
    },
    ridged(x, y, layers) {
      let sum = 0;
      let height = 0.55;
      let scale = 1;
      for (let i = 0; i < layers; i += 1) {
        const crest = 1 - Math.abs(at(x * scale + i * 31.7, y * scale + i * 11.9));
        sum += height * crest * crest;
        height *= 0.46;
        scale *= 2.1;
      }
      return sum;
    },
  };
}

/** Which slope each whole point has: 256 directions in a shuffled order, laid out twice to save a wrap-around. */
function createSlopes(random: Random) {
  const order = new Uint8Array(512);
  const slopeX = new Float64Array(256);
  const slopeY = new Float64Array(256);
  for (let i = 0; i < 256; i += 1) {
    order[i] = i;
    const angle = random() * Math.PI * 2;
    slopeX[i] = Math.cos(angle) * 1.5;
    slopeY[i] = Math.sin(angle) * 1.5;
  }
  for (let i = 255; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    const kept = order[i] ?? 0;
    order[i] = order[j] ?? 0;
    order[j] = kept;
  }
  order.copyWithin(256, 0, 256);
  return { order, slopeX, slopeY };
}

/** 0 below `from`, 1 above `to`, soft in between. */
export function ease(from: number, to: number, value: number): number {
  const share = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return share * share * (3 - 2 * share);
}
