import { type Random, randomBetween } from "@trunkline/core/random.ts";
import type { Canvas } from "./canvas.ts";
import type { Skyline } from "./terrain.ts";

/** What stands on a piece of land, as a mask: how much of each pixel it covers, 0 to 255. */
export interface Standing {
  readonly firstRow: number;
  readonly rows: number;
  readonly cover: Uint8Array;
}

/** How trees grow on a piece of land. */
export interface Growth {
  /** Of the tallest, in units. */
  readonly height: number;
  /** How many stand on one unit. */
  readonly density: number;
}

/** Conifers in groups, each a spire of drooping tiers. */
export function conifers(canvas: Canvas, ground: Skyline, growth: Growth, random: Random): Standing {
  const mask = maskOver(canvas, ground, growth.height);
  const count = Math.round(canvas.reach * 2 * growth.density);
  let centre = 0;
  for (let tree = 0; tree < count; tree += 1) {
    const step = randomBetween(random, -0.8, 0.8) * growth.height * canvas.unit;
    centre = random() < 0.62 ? centre + step : randomBetween(random, -0.02, 1.02) * canvas.width;
    const tall = growth.height * (0.32 + 0.68 * random() ** 1.5) * canvas.unit;
    const foot = (ground[clampTo(ground.length - 1, centre)] ?? 0) + tall * 0.04;
    plantConifer(canvas, mask, centre, foot, tall, random);
  }
  return mask;
}

function plantConifer(
  canvas: Canvas,
  mask: Standing,
  centre: number,
  foot: number,
  tall: number,
  random: Random,
): void {
  const half = tall * randomBetween(random, 0.15, 0.21);
  const tiers = Math.round(Math.min(13, 5 + tall / 28));
  const phases = [random(), random()] as const;
  const droop = Array.from({ length: 2 * tiers + 2 }, () => randomBetween(random, 0.72, 1.12));
  for (let row = Math.max(0, Math.floor(foot - tall)); row < Math.min(canvas.height, foot); row += 1) {
    const down = (row + 0.5 - (foot - tall)) / tall;
    const reachOn = (side: 0 | 1): number => {
      if (down > 0.94) return half * 0.1;
      const tier = down * tiers + phases[side] * 0.6;
      const within = tier % 1;
      // Each tier starts slim under the one above and ends wide.
      const spread = 0.42 + 0.58 * within ** 1.4;
      return half * down ** 0.85 * spread * (droop[Math.floor(tier) * 2 + side] ?? 1) + 0.35;
    };
    coverSpan(canvas, mask, row, centre - reachOn(0), centre + reachOn(1));
  }
}

/** Round trees, in groves. */
export function groves(canvas: Canvas, ground: Skyline, growth: Growth, random: Random): Standing {
  const mask = maskOver(canvas, ground, growth.height * 1.4);
  const count = Math.round(canvas.reach * 2 * growth.density);
  for (let grove = 0; grove < count; grove += 1) {
    const middle = randomBetween(random, -0.02, 1.02) * canvas.width;
    const trees = 1 + Math.floor(random() ** 1.5 * 9);
    for (let tree = 0; tree < trees; tree += 1) {
      const radius = growth.height * randomBetween(random, 0.2, 0.36) * canvas.unit;
      const centre = middle + randomBetween(random, -1, 1) * trees * 0.42 * growth.height * canvas.unit;
      const foot = (ground[clampTo(ground.length - 1, centre)] ?? 0) + radius * 0.15;
      plantRound(canvas, mask, centre, foot, radius, random);
    }
  }
  return mask;
}

/** A crown of many small rounds on a trunk. */
function plantRound(
  canvas: Canvas,
  mask: Standing,
  centre: number,
  foot: number,
  radius: number,
  random: Random,
): void {
  const tall = radius * randomBetween(random, 1.5, 2.1);
  coverDisc(canvas, mask, centre, foot - tall, radius * 0.8);
  for (let round = 0; round < 10; round += 1) {
    const angle = random() * Math.PI * 2;
    const out = radius * randomBetween(random, 0.4, 0.72);
    coverDisc(
      canvas,
      mask,
      centre + Math.cos(angle) * out,
      foot - tall + Math.sin(angle) * out * 0.85,
      radius * randomBetween(random, 0.25, 0.42),
    );
  }
  for (let row = Math.floor(foot - tall); row < foot; row += 1) {
    coverSpan(canvas, mask, row, centre - radius * 0.09, centre + radius * 0.09);
  }
}

function coverDisc(canvas: Canvas, mask: Standing, x: number, y: number, radius: number): void {
  for (let row = Math.floor(y - radius); row <= y + radius; row += 1) {
    const half = Math.sqrt(Math.max(0, radius * radius - (row + 0.5 - y) ** 2));
    if (half > 0) coverSpan(canvas, mask, row, x - half, x + half);
  }
}

/** Covers a row from one place to another, softly at the ends. */
function coverSpan(canvas: Canvas, mask: Standing, row: number, from: number, to: number): void {
  const line = row - mask.firstRow;
  if (line < 0 || line >= mask.rows) return;
  for (let column = Math.max(0, Math.floor(from)); column < Math.min(canvas.width, to); column += 1) {
    const share = Math.min(column + 1, to) - Math.max(column, from);
    const at = line * canvas.width + column;
    mask.cover[at] = Math.max(mask.cover[at] ?? 0, Math.round(share * 255));
  }
}

function maskOver(canvas: Canvas, ground: Skyline, height: number): Standing {
  const highest = ground.reduce((least, top) => Math.min(least, top), canvas.height);
  const lowest = ground.reduce((most, top) => Math.max(most, top), 0);
  const firstRow = Math.max(0, Math.floor(highest - height * canvas.unit) - 1);
  const rows = Math.max(0, Math.min(canvas.height, Math.ceil(lowest) + 1) - firstRow);
  return { firstRow, rows, cover: new Uint8Array(rows * canvas.width) };
}

function clampTo(last: number, place: number): number {
  return Math.min(last, Math.max(0, Math.round(place)));
}
