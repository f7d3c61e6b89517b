import { pickRandom, type Random, randomBetween } from "@trunkline/core/random.ts";
import { byRows } from "./by-rows.ts";
import { type Canvas, columnOf, stampLine, stampSpot, unitX } from "./canvas.ts";
import { type Colour, colour, mix } from "./colour.ts";
import { ease } from "./noise.ts";
import type { Palette } from "./palette.ts";
import type { Sky } from "./plan-sky.ts";
import type { Setting } from "./setting.ts";
import type { Skyline } from "./terrain.ts";

/** What comes between the eye and the scene: weather, small living things, sparks. `ground` is the nearest land. */
export async function paintOverlay(
  { canvas, mood, palette, sky, random }: Setting,
  ground: Skyline | undefined,
  nextTurn: () => Promise<void>,
): Promise<void> {
  const { extras, weather } = mood;
  if (extras.has("rainbow")) await byRows(0, Math.floor(sky.horizon * canvas.unit), rainbowRows(canvas, sky), nextTurn);
  if (extras.has("flowers") && mood.scene === "hills" && ground !== undefined)
    paintFlowers(canvas, ground, palette, random);
  if (extras.has("boat") && (mood.scene === "ocean" || mood.scene === "lake")) paintBoat(canvas, palette, sky, random);
  if (extras.has("birds") || (mood.scene === "ocean" && mood.hour !== "night"))
    paintBirds(canvas, palette, sky, random);
  await nextTurn();
  if (extras.has("fire")) paintSparks(canvas, random);
  if (weather === "snow") paintSnow(canvas, random);
  if (weather === "rain" || weather === "storm") paintRain(canvas, palette, random);
  await nextTurn();
  if (weather === "storm") paintLightning(canvas, sky, random);
}

function paintSnow(canvas: Canvas, random: Random): void {
  const count = Math.round(700 * canvas.reach * 2);
  for (let i = 0; i < count; i += 1) {
    const near = random() ** 4;
    const radius = Math.max(0.8, (0.0014 + 0.0075 * near) * canvas.unit);
    stampSpot(canvas, random() * canvas.width, random() * canvas.height, radius, [255, 255, 255], 0.85 - 0.45 * near);
  }
}

function paintRain(canvas: Canvas, palette: Palette, random: Random): void {
  const ink = mix(palette.haze, [255, 255, 255], 0.45);
  const count = Math.round(420 * canvas.reach * 2);
  for (let i = 0; i < count; i += 1) {
    const x = randomBetween(random, -0.05, 1.05) * canvas.width;
    const y = random() * canvas.height;
    const length = randomBetween(random, 0.02, 0.055) * canvas.unit;
    stampLine(canvas, [x, y], [x - length * 0.18, y + length], Math.max(0.8, 0.0011 * canvas.unit), ink, 0.2);
  }
}

function paintLightning(canvas: Canvas, sky: Sky, random: Random): void {
  let x = columnOf(canvas, randomBetween(random, -0.6, 0.6) * canvas.reach);
  let y = 0;
  const end = sky.horizon * 0.96 * canvas.unit;
  const ink: Colour = [245, 240, 255];
  stampSpot(canvas, x, end * 0.4, canvas.unit * 0.42, [200, 205, 240], 0.3);
  while (y < end) {
    const next: readonly [number, number] = [
      x + randomBetween(random, -0.035, 0.035) * canvas.unit,
      y + randomBetween(random, 0.02, 0.05) * canvas.unit,
    ];
    stampLine(canvas, [x, y], next, 0.011 * canvas.unit, [190, 190, 255], 0.1);
    stampLine(canvas, [x, y], next, Math.max(1, 0.0021 * canvas.unit), ink, 0.9);
    if (random() < 0.3) {
      const side = randomBetween(random, -0.09, 0.09) * canvas.unit;
      stampLine(
        canvas,
        next,
        [next[0] + side, next[1] + Math.abs(side) * 0.9],
        Math.max(0.8, 0.0012 * canvas.unit),
        ink,
        0.5,
      );
    }
    [x, y] = next;
  }
}

function paintSparks(canvas: Canvas, random: Random): void {
  const count = Math.round(170 * canvas.reach * 2);
  for (let i = 0; i < count; i += 1) {
    const rise = random() ** 0.7;
    const x = random() * canvas.width;
    const y = (0.25 + 0.75 * rise) * canvas.height;
    const radius = Math.max(0.9, randomBetween(random, 0.0012, 0.0036) * canvas.unit);
    stampSpot(canvas, x, y, radius * 5, [255, 120, 30], 0.22);
    stampSpot(canvas, x, y, radius, [255, 226, 150], 0.95);
  }
}

function paintBirds(canvas: Canvas, palette: Palette, sky: Sky, random: Random): void {
  const ink = mix(palette.land, palette.sky[1] ?? palette.haze, 0.15);
  const middle = randomBetween(random, -0.5, 0.5) * canvas.reach;
  for (let bird = 0; bird < 7; bird += 1) {
    const x = columnOf(canvas, middle + randomBetween(random, -0.16, 0.16));
    const y = sky.horizon * randomBetween(random, 0.3, 0.62) * canvas.unit;
    const span = randomBetween(random, 0.008, 0.017) * canvas.unit;
    const lift = span * randomBetween(random, 0.3, 0.6);
    const radius = Math.max(0.9, span * 0.1);
    for (const side of [-1, 1]) {
      const elbow: readonly [number, number] = [x + side * span * 0.5, y - lift];
      stampLine(canvas, [x, y], elbow, radius, ink, 0.75);
      stampLine(canvas, elbow, [x + side * span, y - lift * 0.45], radius * 0.8, ink, 0.7);
    }
  }
}

function paintBoat(canvas: Canvas, palette: Palette, sky: Sky, random: Random): void {
  const x = columnOf(canvas, randomBetween(random, -0.45, 0.45) * canvas.reach);
  const size = 0.085 * canvas.unit;
  const y = (sky.horizon + 0.075) * canvas.unit;
  const hull = palette.land;
  const sail = mix(palette.light, palette.haze, 0.25);
  const thin = Math.max(1, size * 0.03);
  for (let step = 0; step <= 40; step += 1) {
    const share = step / 40;
    const half = size * 0.34 * (1 - share);
    stampLine(
      canvas,
      [x + thin, y - size * share - size * 0.1],
      [x + thin + half, y - size * share - size * 0.1],
      thin * 1.5,
      sail,
      0.8,
    );
    stampLine(
      canvas,
      [x - thin, y - size * share * 0.8 - size * 0.1],
      [x - thin - half * 0.7, y - size * share * 0.8 - size * 0.1],
      thin * 1.5,
      mix(sail, hull, 0.2),
      0.8,
    );
  }
  for (let step = 0; step < 6; step += 1) {
    const half = size * (0.42 - step * 0.035);
    stampLine(canvas, [x - half, y + step * thin * 0.7], [x + half, y + step * thin * 0.7], thin * 1.1, hull, 0.85);
  }
}

function paintFlowers(canvas: Canvas, ground: Skyline, palette: Palette, random: Random): void {
  const kinds: readonly [string, ...string[]] = ["#f2545b", "#ffd23f", "#f7f0ff", "#c77dff", "#ff8fab", "#ff9f1c"];
  const favourites: readonly [Colour, Colour, Colour] = [
    colour(pickRandom(random, kinds)),
    colour(pickRandom(random, kinds)),
    colour("#ffffff"),
  ];
  const count = Math.round(1_500 * canvas.reach * 2);
  for (let i = 0; i < count; i += 1) {
    // Painted from the back to the front, so that the near ones stand before the far.
    const near = (i / count) ** 1.5;
    const x = random() * canvas.width;
    const top = ground[Math.floor(x)] ?? canvas.height;
    const y = top + (canvas.height * 1.01 - top) * near;
    const radius = Math.max(0.9, (0.0018 + 0.0062 * near * random()) * canvas.unit);
    const ink = mix(pickRandom(random, favourites), palette.land, palette.dark ? 0.5 : 0.08);
    stampSpot(canvas, x, y, radius, ink, 0.95);
    stampSpot(canvas, x, y, radius * 0.35, colour("#ffe9a0"), 0.6);
  }
}

/** Soft bands on a great circle that rises from behind the land: violet inside, red outside. */
function rainbowRows(canvas: Canvas, sky: Sky): (row: number) => void {
  const { width, pixels, unit } = canvas;
  const centreX = -sky.sun.x * 0.6;
  const centreY = sky.horizon + 0.1;
  return (row) => {
    for (let column = 0; column < width; column += 1) {
      const across = (Math.hypot(unitX(canvas, column) - centreX, row / unit - centreY) - 0.5) / 0.055;
      if (across < 0 || across > 1) continue;
      const share = 0.42 * ease(0, 0.2, across) * ease(1, 0.8, across);
      const at = (row * width + column) * 3;
      for (let channel = 0; channel < 3; channel += 1) {
        const wave = Math.min(1, Math.max(0, 1.6 - Math.abs(across * 5 - (4.6 - 1.85 * channel)) * 0.8));
        pixels[at + channel] = (pixels[at + channel] ?? 0) * (1 - share) + 255 * wave * share;
      }
    }
  };
}
