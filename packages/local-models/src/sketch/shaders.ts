import type { Canvas } from "./canvas.ts";
import type { Colour } from "./colour.ts";
import type { Shader } from "./land.ts";
import { ease, type Noise } from "./noise.ts";
import { softRows } from "./soft-rows.ts";
import type { Building, Skyline } from "./terrain.ts";

function blend(ink: Float32Array, at: number, one: Colour, other: Colour, share: number): void {
  ink[at] = one[0] + (other[0] - one[0]) * share;
  ink[at + 1] = one[1] + (other[1] - one[1]) * share;
  ink[at + 2] = one[2] + (other[2] - one[2]) * share;
}

function wash(ink: Float32Array, at: number, over: Colour, share: number): void {
  ink[at] = (ink[at] ?? 0) + (over[0] - (ink[at] ?? 0)) * share;
  ink[at + 1] = (ink[at + 1] ?? 0) + (over[1] - (ink[at + 1] ?? 0)) * share;
  ink[at + 2] = (ink[at + 2] ?? 0) + (over[2] - (ink[at + 2] ?? 0)) * share;
}

/** Land that fades into mist towards its foot; what stands on it may have a colour of its own. */
export function misty(
  canvas: Canvas,
  noise: Noise,
  look: { readonly top: Colour; readonly mist: Colour; readonly standing?: Colour },
  fade: number,
): Shader {
  const standing = look.standing ?? look.top;
  const driftOf = softRows(canvas, 1, (x, y, out) => {
    out[0] = 0.03 * noise.at(x * 3, y * 9);
  });
  return ({ row, cover, depth, ink }) => {
    const [drift] = driftOf(row);
    for (let column = 0; column < cover.length; column += 1) {
      if (cover[column] === 0) continue;
      const deep = depth[column] ?? 0;
      if (deep === 0) ink.set(standing, column * 3);
      else
        blend(
          ink,
          column * 3,
          look.top,
          look.mist,
          0.92 * ease(0, fade, deep + (drift?.[column] ?? 0) * Math.min(1, deep * 30)),
        );
    }
  };
}

/** The colours of rock. */
export interface RockLook {
  readonly rock: Colour;
  readonly lit: Colour;
  readonly mist: Colour;
  readonly snow: Colour;
  readonly snowShade: Colour;
}

/** Rock with a lit and a dark side, and snow where it is high. */
export function rocky(
  canvas: Canvas,
  noise: Noise,
  ground: Skyline,
  look: RockLook,
  shape: { readonly fade: number; readonly snowline: number; readonly lightFrom: number },
): Shader {
  const facing = facingOf(canvas, ground, shape.lightFrom, 0.034);
  const last = facing.length - 1;
  const foldsOf = softRows(canvas, 3, (x, y, out) => {
    const fold = noise.layered(x * 11, y * 13 + 20, 3);
    out[0] = fold;
    // Crests wander sideways on their way down from the skyline, and the lit side with them.
    out[1] = canvas.unit * (0.85 * noise.at(x * 4, y * 7 + 5) + 0.5 * fold);
    // Gullies run down the slope, so they are taller than wide.
    out[2] = noise.layered(x * 24 + y * 11, y * 8 - x * 3, 3);
  });
  return ({ row, cover, depth, ink }) => {
    const [folds, wanders, gullies] = foldsOf(row);
    const y = row / canvas.unit;
    for (let column = 0; column < cover.length; column += 1) {
      if (cover[column] === 0) continue;
      const deep = depth[column] ?? 0;
      const fold = folds?.[column] ?? 0;
      const gully = gullies?.[column] ?? 0;
      const side = facing[Math.min(last, Math.max(0, Math.round(column + deep * (wanders?.[column] ?? 0))))] ?? 0.5;
      const lit = Math.min(1, Math.max(0, side * 0.74 + 0.05 + gully * 0.42 + fold * 0.2));
      const white = ease(shape.snowline + 0.03, shape.snowline - 0.03, y + fold * 0.06 + gully * 0.1);
      const at = column * 3;
      blend(ink, at, look.rock, look.lit, lit);
      if (white > 0) {
        const bright = white * lit;
        wash(ink, at, look.snowShade, (white - bright) / Math.max(0.001, 1 - bright));
        wash(ink, at, look.snow, bright);
      }
      wash(ink, at, look.mist, 0.96 * ease(shape.fade * 0.1, shape.fade, deep));
    }
  };
}

/** How much each column of a skyline faces the light: 0 turned away, 1 towards it. */
function facingOf(canvas: Canvas, ground: Skyline, lightFrom: number, reach: number): Float32Array {
  const columns = Math.max(1, Math.round(canvas.unit * reach));
  return Float32Array.from(ground, (_, column) => {
    const before = ground[Math.max(0, column - columns)] ?? 0;
    const after = ground[Math.min(ground.length - 1, column + columns)] ?? 0;
    return ease(-0.6, 0.6, ((after - before) / (2 * columns)) * lightFrom);
  });
}

/** Sand: one side of each crest lit, the other in shadow, with ripples. */
export function sandy(
  canvas: Canvas,
  noise: Noise,
  ground: Skyline,
  lit: Colour,
  dark: Colour,
  lightFrom: number,
): Shader {
  const facing = facingOf(canvas, ground, lightFrom, 0.01);
  const last = facing.length - 1;
  const windOf = softRows(canvas, 2, (x, y, out) => {
    out[0] = (0.9 + 0.5 * noise.at(x * 2.2, y * 3.1)) * canvas.unit * lightFrom;
    out[1] = 0.045 * noise.at(x * 20 + y * 26, y * 130 - x * 12) + 0.08 * noise.at(x * 3, y * 8);
  });
  return ({ row, cover, depth, ink }) => {
    const [bends, ripples] = windOf(row);
    for (let column = 0; column < cover.length; column += 1) {
      if (cover[column] === 0) continue;
      const deep = depth[column] ?? 0;
      const side = facing[Math.min(last, Math.max(0, Math.round(column + deep * (bends?.[column] ?? 0))))] ?? 0.5;
      const share = 0.08 + side * 0.86 + (ripples?.[column] ?? 0) - deep * 0.7;
      blend(ink, column * 3, dark, lit, Math.min(1, Math.max(0, share)));
    }
  };
}

/** Houses with windows, some of them lit. */
export function windowed(
  canvas: Canvas,
  houses: readonly Building[],
  look: { readonly wall: Colour; readonly mist: Colour; readonly glow: Colour },
  shape: { readonly litShare: number; readonly fade: number },
): Shader {
  const houseAt = new Int32Array(canvas.width).fill(-1);
  houses.forEach(({ left, right }, index) => {
    houseAt.fill(index, Math.max(0, left), Math.max(0, Math.min(canvas.width, right)));
  });
  const cell = Math.max(3, Math.round(canvas.unit * 0.0085));
  return ({ row, cover, depth, ink }) => {
    for (let column = 0; column < cover.length; column += 1) {
      if (cover[column] === 0) continue;
      blend(ink, column * 3, look.wall, look.mist, 0.9 * ease(0, shape.fade, depth[column] ?? 0));
      const house = houses[houseAt[column] ?? -1];
      if (house === undefined || row < house.top + cell) continue;
      const across = column - house.left;
      const down = row - Math.ceil(house.top);
      const isWall = across % cell < cell * 0.4 || down % cell < cell * 0.45 || column > house.right - cell * 0.5;
      if (isWall) continue;
      const chance = chanceOf(Math.floor(across / cell), Math.floor(down / cell), house.seed);
      if (chance < shape.litShare) wash(ink, column * 3, look.glow, 0.35 + (0.6 * chance) / shape.litShare);
    }
  };
}

/** The same number from 0 to 1 for the same window, always. */
function chanceOf(across: number, down: number, seed: number): number {
  let mixed = Math.imul(across + 1, 0x9e3779b1) ^ Math.imul(down + seed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 4_294_967_296;
}
