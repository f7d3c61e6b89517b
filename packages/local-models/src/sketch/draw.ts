import { createSeededRandom, type Random, randomBetween } from "@trunkline/core/random.ts";
import { byRows } from "./by-rows.ts";
import { type Canvas, createCanvas, unitX } from "./canvas.ts";
import { paintLand } from "./land.ts";
import { type Mood, moodOf } from "./mood.ts";
import { createNoise } from "./noise.ts";
import { paintOverlay } from "./overlay.ts";
import { paletteOf } from "./palette.ts";
import { planSky } from "./plan-sky.ts";
import type { Picture } from "./png.ts";
import { sceneryOf } from "./scenery.ts";
import type { Setting } from "./setting.ts";
import { paintSky } from "./sky.ts";
import { paintNebula, paintPlanet } from "./space.ts";
import { paintWater, type Surface } from "./water.ts";

/** Draws the picture of some words. The same words give the same picture, at every size the same scene. */
export async function draw(
  words: string,
  width: number,
  height: number,
  nextTurn: () => Promise<void>,
): Promise<Picture> {
  const random = createSeededRandom(words);
  const mood = moodOf(words, random);
  const canvas = createCanvas(width, height);
  const palette = paletteOf(mood, random);
  const noise = createNoise(random);
  const horizon = horizonOf(mood, random);
  const sky = planSky(mood, horizon, canvas.reach, random);
  const setting: Setting = { canvas, mood, palette, sky, noise, random };
  const surface = surfaceOf(mood, horizon, random);

  await paintSky(setting, nextTurn);
  if (mood.scene === "space") {
    await paintNebula(setting, nextTurn);
    await paintPlanet(setting, nextTurn);
  }
  const layers = sceneryOf(setting);
  await paintLand(canvas, layers, Math.round((surface?.from ?? 1) * height), nextTurn);
  if (surface !== undefined) await paintWater(setting, surface, nextTurn);
  await paintOverlay(setting, layers[0]?.ground, nextTurn);
  await byRows(0, height, cornerRows(canvas), nextTurn);
  return canvas;
}

function horizonOf({ scene }: Mood, random: Random): number {
  if (scene === "space") return 1;
  if (scene === "waves") return 0.55;
  if (scene === "lake" || scene === "city") return randomBetween(random, 0.58, 0.66);
  return scene === "ocean" ? randomBetween(random, 0.5, 0.6) : 0.62;
}

/** The water of a scene; undefined where it is dry. */
function surfaceOf({ scene, weather, extras }: Mood, horizon: number, random: Random): Surface | undefined {
  const isWaterfront = random() < 0.7 || extras.has("water");
  if (scene === "lake") return { from: horizon, rough: 0.12 };
  if (scene === "ocean") return { from: horizon, rough: weather === "storm" ? 1 : 0.55 };
  return scene === "city" && isWaterfront ? { from: horizon + 0.03, rough: 0.12 } : undefined;
}

/** Darker corners lead the eye inwards. */
function cornerRows(canvas: Canvas): (row: number) => void {
  const { width, pixels, unit, reach } = canvas;
  return (row) => {
    const y = (row / unit - 0.5) * 1.1;
    for (let column = 0; column < width; column += 1) {
      const x = unitX(canvas, column) / (reach * 2);
      const out = x * x + y * y;
      if (out < 0.16) continue;
      const keep = 1 - 0.55 * (out - 0.16);
      const at = (row * width + column) * 3;
      pixels[at] = (pixels[at] ?? 0) * keep;
      pixels[at + 1] = (pixels[at + 1] ?? 0) * keep;
      pixels[at + 2] = (pixels[at + 2] ?? 0) * keep;
    }
  };
}
