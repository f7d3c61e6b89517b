import { byRows } from "./by-rows.ts";
import { ditherAt, unitX } from "./canvas.ts";
import { ease } from "./noise.ts";
import type { Setting } from "./setting.ts";

/** Where water begins and how it moves. */
export interface Surface {
  /** In units from the top. */
  readonly from: number;
  /** 0 for a mirror to 1 for a storm. */
  readonly rough: number;
}

/** Paints water down to the bottom: what stands above it mirrored, waves, and the path of the light. */
export async function paintWater(setting: Setting, surface: Surface, nextTurn: () => Promise<void>): Promise<void> {
  const { height, unit } = setting.canvas;
  await byRows(Math.round(surface.from * unit), height, waterRows(setting, surface), nextTurn);
}

function waterRows({ canvas, palette, sky, noise }: Setting, { from, rough }: Surface): (row: number) => void {
  const { width, height, pixels, unit } = canvas;
  const { sun } = sky;
  const { light, water } = palette;
  const first = Math.round(from * unit);
  return (row) => {
    const depth = (row - first) / Math.max(1, height - first);
    // Waves shrink towards the horizon as everything does.
    const size = 0.05 + depth * 0.95;
    const down = 34 * Math.log(size);
    const pathWidth = 0.035 + 0.2 * depth;
    const body = 0.1 + (0.2 + 0.2 * rough) * ease(0, 1, depth) + 0.16 * rough;
    for (let column = 0; column < width; column += 1) {
      const x = unitX(canvas, column);
      const wave = noise.layered((x * 6) / size + 7, down, 3);
      const lift = Math.abs(Math.round((row - first) * 0.92 + wave * unit * size * (0.025 + 0.2 * rough)));
      const aside = Math.min(width - 1, Math.max(0, column + Math.round(wave * unit * size * 0.012)));
      const mirrored = (Math.max(0, first - 1 - lift) * width + aside) * 3;
      const share = Math.min(1, Math.max(0, body + wave * (0.12 + 0.5 * rough)));
      const off = (x - sun.x) / pathWidth;
      const path = sun.shows ? Math.exp(-off * off) * ease(0.02, 0.34, wave + 0.08) * 0.85 : 0;
      const foam = rough * 0.32 * ease(0.24, 0.46, wave) * (0.3 + 0.7 * depth);
      const glint = Math.min(1, path + foam);
      const at = (row * width + column) * 3;
      const dither = ditherAt(column, row);
      for (let channel = 0; channel < 3; channel += 1) {
        const seen = (pixels[mirrored + channel] ?? 0) * (1 - share) + (water[channel] ?? 0) * share;
        pixels[at + channel] = seen + ((light[channel] ?? 0) - seen) * glint + dither;
      }
    }
  };
}
