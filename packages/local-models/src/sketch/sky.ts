import type { Random } from "@trunkline/core/random.ts";
import { byRows } from "./by-rows.ts";
import { type Canvas, columnOf, ditherAt, stampSpot, unitX } from "./canvas.ts";
import { type Colour, gradient } from "./colour.ts";
import { ease, type Noise } from "./noise.ts";
import type { Palette } from "./palette.ts";
import type { Sky, Sun } from "./plan-sky.ts";
import type { Setting } from "./setting.ts";
import { softRows } from "./soft-rows.ts";

/** Paints the sky over the whole canvas: gradient, light, clouds, and what shines at night. */
export async function paintSky(
  { canvas, sky, palette, mood, noise, random }: Setting,
  nextTurn: () => Promise<void>,
): Promise<void> {
  const rows = Math.min(canvas.height, Math.ceil((sky.horizon + 0.12) * canvas.unit));
  await byRows(0, rows, skyRows(canvas, sky, palette, noise), nextTurn);
  if (mood.extras.has("aurora")) await byRows(0, rows, auroraRows(canvas, noise), nextTurn);
  if (palette.dark || mood.extras.has("stars")) paintStars(canvas, sky, palette.light, random);
  if (sky.sun.shows) paintSun(canvas, sky.sun, palette, noise);
}

function skyRows(canvas: Canvas, sky: Sky, palette: Palette, noise: Noise): (row: number) => void {
  const { width, pixels, unit } = canvas;
  const { sun } = sky;
  const ramp = gradient(palette.sky, 512);
  const { light, cloudShade, cloudLight } = palette;
  const glow = sun.shows ? (palette.dark ? 0.4 : 0.75) : 0.25;
  const spread = palette.dark ? 60 : 26;
  const cloudsOf = softRows(canvas, 2, (x, y, out) => cloudAt(sky, noise, x, y, out));
  const halos = new Float32Array(width);
  return (row) => {
    const y = row / unit;
    const step = Math.min(511, Math.floor(ease(-0.15, 1.02, y / sky.horizon) * 511)) * 3;
    const [covers, lights] = cloudsOf(row);
    for (let column = 0; column < width; column += 1) {
      const x = unitX(canvas, column);
      const distance = spread * ((x - sun.x) * (x - sun.x) + (y - sun.y) * (y - sun.y));
      halos[column] = glow * (0.55 / (1 + distance) + 0.45 / (1 + distance * 9));
    }
    for (let channel = 0; channel < 3; channel += 1) {
      const bare = ramp[step + channel] ?? 0;
      const towardsLight = (light[channel] ?? 0) - bare;
      const dark = cloudShade[channel] ?? 0;
      const towardsLit = (cloudLight[channel] ?? 0) - dark;
      let at = row * width * 3 + channel;
      for (let column = 0; column < width; column += 1) {
        const halo = halos[column] ?? 0;
        const air = bare + towardsLight * halo;
        const cloud = dark + towardsLit * Math.min(1, (lights?.[column] ?? 0) + halo * 0.55);
        pixels[at] = air + (cloud - air) * (covers?.[column] ?? 0) + ditherAt(column, row);
        at += 3;
      }
    }
  };
}

/** How much cloud there is at a place, and how much of the light it takes. */
function cloudAt(sky: Sky, noise: Noise, x: number, y: number, out: Float32Array): void {
  // Clouds lie flatter and closer together towards the horizon.
  const near = 1.15 - y / sky.horizon;
  if (near <= 0 || sky.clouds === 0) {
    out.fill(0);
    return;
  }
  const scale = 1.1 / (near + 0.25);
  const puff = noise.layered(x * 2.1 * scale + 40, y * 9 * scale, 4);
  const thin = 0.42 - sky.clouds * 0.55;
  const cover = ease(thin, thin + 0.5, puff + 0.06) * Math.min(1, near * 3) * (0.35 + 0.6 * sky.clouds);
  out[0] = cover;
  const towardsSun = noise.layered(x * 2.1 * scale + 40, (y - 0.018) * 9 * scale, 2);
  out[1] = Math.min(1, Math.max(0, 0.5 + (puff - towardsSun) * 1.3));
}

/** Curtains of light: strong along a wandering line, fading upwards. */
function auroraRows(canvas: Canvas, noise: Noise): (row: number) => void {
  const { width, pixels, unit } = canvas;
  const feet = Float32Array.from(
    { length: width },
    (_, column) => 0.42 + 0.14 * noise.layered(unitX(canvas, column) * 1.6, 3.3, 3),
  );
  const rays = Float32Array.from({ length: width }, (_, column) => {
    const x = unitX(canvas, column);
    return (0.5 + 0.5 * noise.at(x * 26, 8.5)) * (0.45 + 0.55 * ease(-0.5, 0.6, noise.at(x * 2.2, 71)));
  });
  return (row) => {
    for (let column = 0; column < width; column += 1) {
      const above = (feet[column] ?? 0) - row / unit;
      const body = above > 0 ? Math.exp(-above * 6.5) : Math.exp(above * 55);
      const shine = 0.72 * body * (rays[column] ?? 0);
      const at = (row * width + column) * 3;
      const dither = ditherAt(column, row);
      pixels[at] = (pixels[at] ?? 0) + 40 * shine + dither;
      pixels[at + 1] = (pixels[at + 1] ?? 0) + 210 * shine + dither;
      pixels[at + 2] = (pixels[at + 2] ?? 0) + 130 * shine + dither;
    }
  };
}

function paintStars(canvas: Canvas, sky: Sky, light: Colour, random: Random): void {
  const count = Math.round(520 * canvas.reach * 2);
  for (let i = 0; i < count; i += 1) {
    const column = random() * canvas.width;
    const height = random() ** 1.4 * sky.horizon;
    const bright = random() ** 3;
    const radius = Math.max(0.85, (0.0009 + 0.0016 * bright) * canvas.unit);
    const fade = ease(1, 0.45, height / sky.horizon);
    stampSpot(canvas, column, height * canvas.unit, radius, light, (0.3 + 0.7 * bright) * fade);
    if (bright > 0.75) stampSpot(canvas, column, height * canvas.unit, radius * 5, light, 0.16 * fade);
  }
}

function paintSun(canvas: Canvas, sun: Sun, palette: Palette, noise: Noise): void {
  const { width, height, pixels, unit } = canvas;
  const centre = columnOf(canvas, sun.x);
  const radius = sun.radius * unit;
  for (
    let row = Math.max(0, Math.floor((sun.y - sun.radius) * unit - 2));
    row < Math.min(height, (sun.y + sun.radius) * unit + 2);
    row += 1
  ) {
    for (
      let column = Math.max(0, Math.floor(centre - radius - 2));
      column < Math.min(width, centre + radius + 2);
      column += 1
    ) {
      const dx = column + 0.5 - centre;
      const dy = row + 0.5 - sun.y * unit;
      const inside = Math.min(1, Math.max(0, radius - Math.hypot(dx, dy) + 0.5));
      if (inside === 0) continue;
      // The moon has seas; the sun is plain.
      const seas = palette.dark
        ? 0.86 + 0.14 * ease(-0.25, 0.2, noise.layered((dx / radius) * 1.7 + 9, (dy / radius) * 1.7 + 4, 3))
        : 1;
      const share = inside * (palette.dark ? 0.96 : 0.9);
      const at = (row * width + column) * 3;
      for (let channel = 0; channel < 3; channel += 1) {
        const under = pixels[at + channel] ?? 0;
        pixels[at + channel] = under + ((palette.light[channel] ?? 255) * seas - under) * share;
      }
    }
  }
}
