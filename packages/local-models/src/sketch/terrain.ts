import { type Random, randomBetween } from "@trunkline/core/random.ts";
import { type Canvas, columnOf, unitX } from "./canvas.ts";
import type { Noise } from "./noise.ts";

/** The upper edge of a piece of land: a row for every column, in pixels with fractions. */
export type Skyline = Float32Array;

/** How a piece of land lies. */
export interface Lie {
  /** Where its valleys are, in units from the top. */
  readonly base: number;
  /** How far its summits rise above that. */
  readonly rise: number;
  /** How many summits fit in a unit. */
  readonly pace: number;
  /** Tells one piece of land from the next. */
  readonly place: number;
}

function skyline(canvas: Canvas, topAt: (x: number) => number): Skyline {
  return Float32Array.from({ length: canvas.width }, (_, column) => topAt(unitX(canvas, column)) * canvas.unit);
}

/** Sharp summits: a few great ones, each with crests running down from it. */
export function peaks(canvas: Canvas, noise: Noise, { base, rise, pace, place }: Lie): Skyline {
  const summitAt = (index: number) => {
    const luck = noise.at(index * 3.37 + place, 19.7);
    return { x: (index + 0.42 * luck) / pace, tall: 0.62 + 0.42 * noise.at(index * 5.11 + place, 47.3) };
  };
  return skyline(canvas, (x) => {
    const wander = x + (0.05 / pace) * noise.layered(x * pace * 5 + place, 3.1, 3);
    const middle = Math.round(x * pace);
    let best = 0;
    for (let index = middle - 2; index <= middle + 2; index += 1) {
      const summit = summitAt(index);
      best = Math.max(best, summit.tall - Math.abs(wander - summit.x) * pace * 0.95);
    }
    const crags = noise.ridged(x * pace * 3.2 + place, place * 3.7, 5) - 0.6;
    return base - rise * (best + (0.1 + 0.22 * best) * crags + 0.1 * noise.at(x * pace * 0.5, place));
  });
}

/** Round shoulders. */
export function slopes(canvas: Canvas, noise: Noise, { base, rise, pace, place }: Lie): Skyline {
  return skyline(canvas, (x) => base - rise * (0.5 + 0.9 * noise.layered(x * pace + place, place * 1.9, 3)));
}

/** Long crests with one steep side, as the wind makes them. */
export function dunes(canvas: Canvas, noise: Noise, { base, rise, pace, place }: Lie): Skyline {
  return skyline(canvas, (x) => {
    const phase = (x + 0.16 * noise.at(x * pace * 0.5 + place, place)) * pace * 0.5 + place * 0.77;
    const share = phase - Math.floor(phase);
    const tall = 0.55 + 0.45 * noise.at(Math.floor(phase) * 2.9 + place, 8.8);
    const crest = share < 0.66 ? (share / 0.66) ** 1.5 : ((1 - share) / 0.34) ** 1.35;
    return base - rise * (0.95 * crest * tall + 0.22 * noise.at(x * pace * 0.7 + place * 4, 2.2));
  });
}

/** A building's place in a row of houses, in pixels. */
export interface Building {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly seed: number;
}

/** A row of houses, the tallest about the middle. */
export function buildings(canvas: Canvas, base: number, tallest: number, random: Random): Building[] {
  const row: Building[] = [];
  const middle = randomBetween(random, -0.25, 0.25) * canvas.reach;
  for (let x = -canvas.reach - 0.02; x < canvas.reach; ) {
    const width = randomBetween(random, 0.022, 0.062);
    const central = Math.exp(-(((x - middle) / (0.42 * Math.max(0.5, canvas.reach * 1.4))) ** 2));
    const tall = tallest * (0.22 + 0.78 * central) * randomBetween(random, 0.35, 1);
    row.push({
      left: Math.round(columnOf(canvas, x)),
      right: Math.round(columnOf(canvas, x + width)),
      top: (base - tall) * canvas.unit,
      seed: Math.floor(random() * 65_536),
    });
    x += width + (random() < 0.25 ? randomBetween(random, 0, 0.012) : 0);
  }
  return row;
}

/** The skyline of a row of houses, with spires on the tallest. */
export function roofs(canvas: Canvas, base: number, row: readonly Building[]): Skyline {
  const tops = new Float32Array(canvas.width).fill(base * canvas.unit);
  for (const { left, right, top, seed } of row) {
    const crown = seed % 5;
    const middle = (left + right) / 2;
    const half = Math.max(1, (right - left) / 2);
    for (let column = Math.max(0, left); column < Math.min(canvas.width, right); column += 1) {
      const off = Math.abs(column + 0.5 - middle) / half;
      let roof = top;
      if (crown === 0 && off < 0.62) roof -= 0.014 * canvas.unit;
      if (crown === 1) roof -= 0.035 * canvas.unit * (1 - off);
      if (crown <= 2 && off * half < Math.max(0.7, 0.0012 * canvas.unit)) roof -= 0.05 * canvas.unit;
      tops[column] = Math.min(tops[column] ?? 0, roof);
    }
  }
  return tops;
}
