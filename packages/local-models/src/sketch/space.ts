import { randomBetween } from "@trunkline/core/random.ts";
import { byRows } from "./by-rows.ts";
import { columnOf, ditherAt } from "./canvas.ts";
import { mix, shade, tint } from "./colour.ts";
import { ease } from "./noise.ts";
import type { Setting } from "./setting.ts";
import { softRows } from "./soft-rows.ts";

/** Lays glowing gas over a night sky. */
export async function paintNebula(setting: Setting, nextTurn: () => Promise<void>): Promise<void> {
  await byRows(0, setting.canvas.height, nebulaRows(setting), nextTurn);
}

function nebulaRows({ canvas, mood, palette, noise, random }: Setting): (row: number) => void {
  const { width, pixels } = canvas;
  const tilt = randomBetween(random, -0.9, 0.9);
  const pink = mix(palette.light, [255, 120, 170], 0.65);
  const warm = mood.hue === undefined ? pink : tint(shade(pink, 0.8), mood.hue, 0.9);
  const cool = mix(palette.sky.at(-1) ?? palette.haze, [70, 150, 255], 0.55);
  const gasOf = softRows(canvas, 3, (x, y, out) => {
    const along = Math.exp(-(((y - 0.42 + tilt * x) / 0.3) ** 2));
    const swirl = noise.layered(x * 1.4 + 3, y * 1.4, 2);
    const gas = noise.layered(x * 2.1 + swirl * 1.9, y * 2.1 - swirl * 1.4 + 11, 4);
    out[0] = ease(-0.22, 0.42, gas) * along * 0.5;
    out[1] = ease(0.02, 0.5, gas - Math.abs(swirl) * 0.5) * along * 0.62;
    out[2] = 1 - 0.55 * ease(0.05, 0.4, -gas + swirl * 0.4) * along;
  });
  return (row) => {
    const [veils, hearts, dusts] = gasOf(row);
    for (let column = 0; column < width; column += 1) {
      const veil = veils?.[column] ?? 0;
      const heart = hearts?.[column] ?? 0;
      const dust = dusts?.[column] ?? 1;
      const at = (row * width + column) * 3;
      const dither = ditherAt(column, row);
      for (let channel = 0; channel < 3; channel += 1) {
        const under = (pixels[at + channel] ?? 0) * dust;
        pixels[at + channel] = under + (cool[channel] ?? 0) * veil + (warm[channel] ?? 0) * heart + dither;
      }
    }
  };
}

/** A banded planet, lit from one side, with a ring. */
export async function paintPlanet(setting: Setting, nextTurn: () => Promise<void>): Promise<void> {
  const { canvas, random } = setting;
  const planet = {
    x: columnOf(canvas, randomBetween(random, 0.25, 0.5) * canvas.reach * (random() < 0.5 ? -1 : 1)),
    y: randomBetween(random, 0.24, 0.36) * canvas.unit,
    radius: randomBetween(random, 0.1, 0.15) * canvas.unit,
    lean: randomBetween(random, -0.45, 0.45),
  };
  const reach = planet.radius * RING_OUTER * 1.08;
  const fromRow = Math.max(0, Math.floor(planet.y - reach));
  await byRows(fromRow, Math.min(canvas.height, Math.ceil(planet.y + reach)), planetRows(setting, planet), nextTurn);
}

const RING_INNER = 1.35;
const RING_OUTER = 2.12;

interface Planet {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly lean: number;
}

function planetRows({ canvas, mood, palette, noise }: Setting, planet: Planet): (row: number) => void {
  const { width, pixels } = canvas;
  const { light } = palette;
  const sandy = mix(palette.sky.at(-1) ?? palette.haze, [240, 170, 120], 0.5);
  const one = mood.hue === undefined ? sandy : tint(sandy, mood.hue, 0.8);
  const other = mix(palette.haze, light, 0.6);
  const leanX = Math.cos(planet.lean);
  const leanY = Math.sin(planet.lean);
  const reach = planet.radius * RING_OUTER * 1.08;
  return (row) => {
    for (
      let column = Math.max(0, Math.floor(planet.x - reach));
      column < Math.min(width, planet.x + reach);
      column += 1
    ) {
      const x = (column + 0.5 - planet.x) / planet.radius;
      const y = (row + 0.5 - planet.y) / planet.radius;
      const ringX = x * leanX + y * leanY;
      const ringY = (y * leanX - x * leanY) * 3.6;
      const distance = Math.hypot(x, y);
      const ring = Math.hypot(ringX, ringY);
      const inside = Math.min(1, Math.max(0, (1 - distance) * planet.radius + 0.5));
      if (inside === 0 && (ring < RING_INNER || ring > RING_OUTER)) continue;
      const rings = ease(RING_INNER, 1.42, ring) * ease(RING_OUTER, 2.02, ring) * (0.55 + 0.3 * noise.at(ring * 14, 4));
      // The near half of the ring lies before the planet, the far half behind it.
      const ringShare = 0.75 * rings * (ringY > 0 ? 1 : 1 - inside);
      const band = ease(-0.5, 0.5, noise.layered(ringX * 0.8, ringY * 1.1 + 6, 3));
      const bulge = Math.sqrt(Math.max(0, 1 - distance * distance));
      const lit = 0.12 + 0.98 * ease(-0.75, 0.85, -0.75 * x - 0.5 * y + 0.35 * bulge);
      const at = (row * width + column) * 3;
      for (let channel = 0; channel < 3; channel += 1) {
        const body = ((one[channel] ?? 0) + ((other[channel] ?? 0) - (one[channel] ?? 0)) * band) * lit;
        const under = pixels[at + channel] ?? 0;
        const solid = under + (body - under) * inside;
        pixels[at + channel] = solid + ((light[channel] ?? 255) * 0.85 - solid) * ringShare;
      }
    }
  };
}
