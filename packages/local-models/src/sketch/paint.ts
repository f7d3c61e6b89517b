import { type Random, randomBetween } from "@trunkline/core/random.ts";
import { type Colour, mix, type Outline, readScene } from "./read-scene.ts";

type Noise = (x: number, y: number) => number;
const HORIZON = 0.62;

/**
 * Returns a function that paints one row of the picture of some words. Lengths are shares of the height and x runs from
 * the middle, so the same words show the same scene at every size.
 */
export function rowPainter(words: string, width: number, height: number) {
  const { outlines, hasWater, isNight, weather, zenith, middle, horizon, light, land, random } = readScene(words);
  const noise = createNoise(random);
  const columns = Float32Array.from({ length: width }, (_, column) => (column + 0.5 - width / 2) / height);
  const ground = mix(land, horizon, weather === "snow" ? 0.5 : weather === "fog" ? 0.3 : 0.05);
  const layers = outlines.map((outline, index) => {
    const nearness = (index + 1) / outlines.length;
    const base = hasWater ? HORIZON : HORIZON + 0.34 * (nearness - 1 / outlines.length);
    const start = randomBetween(random, 0, 200);
    const tops = columns.map((x) => base - riseAt(x, outline, start, nearness, noise));
    return { outline, base, colour: mix(horizon, ground, nearness ** 0.8), tops };
  });
  const radius = randomBetween(random, 0.04, 0.065);
  const sunX = randomBetween(random, -0.3, 0.3) * (width / height);
  const sunY = randomBetween(random, 0.18, isNight ? 0.35 : 0.5);
  const cloudiness = weather === undefined ? randomBetween(random, 0.1, 0.3) : 0.4;
  const ink = new Float32Array(3);

  function paintSky(x: number, y: number): void {
    const distance = Math.sqrt((x - sunX) ** 2 + (y - sunY) ** 2);
    blend(ink, zenith, 1);
    blend(ink, middle, ease(0, 0.6 * HORIZON, y));
    blend(ink, horizon, ease(0.4 * HORIZON, HORIZON, y));
    blend(ink, light, (isNight ? 0.25 : 0.6) / (1 + 60 * distance * distance));
    if (isNight) blend(ink, light, speck(noise, x * 90, y * 90, 0.12) * (1 - y));
    blend(ink, light, ease(radius + 1 / height, radius - 1 / height, distance));
    blend(ink, light, cloudiness * ease(0.45, 0.8, layered(noise, x * 2.2, y * 8, 3)));
  }

  return (row: number, line: Uint8ClampedArray): void => {
    const rowY = row / height;
    const near = hasWater ? Math.max(0, (rowY - HORIZON) / (1 - HORIZON)) : 0;
    for (let column = 0; column < width; column += 1) {
      const x = columns[column] ?? 0;
      // Water shows what is above it, mirrored and bent by waves that grow towards the viewer.
      const wave = near > 0 ? layered(noise, (x * 9) / (0.15 + near), 40 * Math.sqrt(near), 2) - 0.4 : 0;
      const y = near > 0 ? Math.max(0, Math.min(HORIZON, HORIZON - near / 2 + wave * (0.03 + near / 5))) : rowY;
      // A layer that covers the whole pixel hides the sky and the layers behind it.
      let index = layers.length - 1;
      while (index >= 0 && (y - (layers[index]?.tops[column] ?? 0)) * height < 1) index -= 1;
      if (index < 0) paintSky(x, y);
      for (const { outline, base, colour, tops } of index > 0 ? layers.slice(index) : layers) {
        const cover = Math.min(1, (y - (tops[column] ?? 0)) * height);
        if (cover <= 0) continue;
        blend(ink, colour, cover);
        blend(ink, horizon, 0.6 * cover * ease(base - 0.15, base + 0.15, y));
        if (outline === "blocks") blend(ink, light, (isNight ? 0.9 : 0.2) * speck(noise, x * 64, y * 48, 0.7));
      }
      if (near > 0) blend(ink, land, 0.1 + 0.35 * near);
      if (weather === "rain") blend(ink, light, 0.4 * speck(noise, (x + rowY / 5) * 160, (rowY + 2.7 * x) * 14, 0.5));
      if (weather === "snow") blend(ink, light, 0.9 * speck(noise, x * 30, rowY * 30, 0.4));
      // Less than one step of colour, in a fine pattern, so that soft gradients show no bands.
      const dither = (((column * 7 + row * 5) & 15) - 7.5) / 16;
      for (let i = 0; i < 3; i += 1) line[column * 3 + i] = (ink[i] ?? 0) + dither;
    }
  };
}

/** How far a layer rises above its base. */
function riseAt(x: number, outline: Outline, start: number, nearness: number, noise: Noise): number {
  const hill = layered(noise, x * 1.6 + start, start, 3);
  if (outline === "hills") return 0.2 * hill;
  const ridge = 1 - Math.abs(2 * noise(x * 2.2 + start, start) - 1);
  const crags = layered(noise, x * 9 + start, start, 4);
  if (outline === "peaks") return (0.42 - 0.3 * nearness) * (0.15 + ridge * (0.7 + 0.5 * crags));
  const pace = outline === "trees" ? 55 - 30 * nearness : 26 - 8 * nearness;
  const cell = Math.floor(x * pace + start);
  const size = noise(cell * 3, Math.floor(start));
  if (outline === "blocks") return 0.05 + 0.35 * size * Math.exp(-1.5 * x * x) * (1.2 - 0.5 * nearness);
  const side = Math.abs(2 * (x * pace + start - cell) - 1);
  return 0.12 * hill + (2.2 / pace) * (0.4 + 0.6 * size) * (1 - side) * (1 - 0.3 * ((side * 5) % 1));
}

/** A soft spot in some cells of a grid: a star, a snowflake, a drop, a lit window. */
function speck(noise: Noise, x: number, y: number, density: number): number {
  const column = Math.floor(x);
  const row = Math.floor(y);
  const size = noise(column, row) / density;
  if (size >= 1) return 0;
  const centre = 0.3 + 0.4 * noise(column + 128, row + 128);
  return ease(0.1 + 0.15 * size, 0, Math.sqrt((x - column - centre) ** 2 + (y - row - 1 + centre) ** 2));
}

function blend(ink: Float32Array, colour: Colour, share: number): void {
  ink[0] = (ink[0] ?? 0) * (1 - share) + colour[0] * share;
  ink[1] = (ink[1] ?? 0) * (1 - share) + colour[1] * share;
  ink[2] = (ink[2] ?? 0) * (1 - share) + colour[2] * share;
}

/** Smooth values from 0 to 1 over the plane: a random number at each whole point, blended in between. */
function createNoise(random: Random): Noise {
  const points = Float32Array.from({ length: 65_536 }, random);
  const between = (row: number, column: number, share: number) =>
    (points[((row & 255) << 8) | (column & 255)] ?? 0) * (1 - share) +
    (points[((row & 255) << 8) | ((column + 1) & 255)] ?? 0) * share;
  return (x, y) => {
    const column = Math.floor(x);
    const row = Math.floor(y);
    const across = ease(0, 1, x - column);
    const down = ease(0, 1, y - row);
    return between(row, column, across) * (1 - down) + between(row + 1, column, across) * down;
  };
}

/** Noise upon finer noise, as in clouds and crags. */
function layered(noise: Noise, x: number, y: number, layers: number): number {
  let sum = 0;
  for (let scale = 1; scale < 1 << layers; scale *= 2) sum += noise(x * scale + scale * 17.3, y * scale) / scale;
  return sum / (2 - 2 / (1 << layers));
}

/** 0 at `from`, 1 at `to`, soft in between. */
function ease(from: number, to: number, value: number): number {
  const share = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return share * share * (3 - 2 * share);
}
