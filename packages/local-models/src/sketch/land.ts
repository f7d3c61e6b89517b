import { byRows } from "./by-rows.ts";
import { type Canvas, ditherAt } from "./canvas.ts";
import type { Skyline } from "./terrain.ts";
import type { Standing } from "./trees.ts";

/** One row of a piece of land while it is painted. Whole rows at a time are several times faster than single pixels. */
interface Line {
  readonly row: number;
  /** How much of each pixel this land covers: 0 where nothing of it is seen. */
  readonly cover: Float32Array;
  /** How far each pixel lies under the skyline, in units; 0 is above it, where something stands. */
  readonly depth: Float32Array;
  /** Where the colours go, three numbers a pixel. */
  readonly ink: Float32Array;
}

/** Puts the colours of a line's covered pixels into its ink. */
export type Shader = (line: Line) => void;

/** A piece of land: everything under its skyline, and what stands on it. */
export interface Layer {
  readonly ground: Skyline;
  readonly standing?: Standing;
  readonly shade: Shader;
}

/** Less than this is not seen. */
const COVER_MIN = 0.004;

/** Paints land over the sky, the nearest layer first in the list. */
export async function paintLand(
  canvas: Canvas,
  layers: readonly Layer[],
  toRow: number,
  nextTurn: () => Promise<void>,
): Promise<void> {
  const fromRow = Math.max(0, Math.floor(highestOf(layers, toRow)));
  await byRows(fromRow, toRow, landRows(canvas, layers), nextTurn);
}

function landRows(canvas: Canvas, layers: readonly Layer[]): (row: number) => void {
  const { width, pixels } = canvas;
  const line = {
    cover: new Float32Array(width),
    depth: new Float32Array(width),
    ink: new Float32Array(width * 3),
  };
  const left = new Float32Array(width);
  const sum = new Float32Array(width * 3);
  return (row) => {
    left.fill(1);
    sum.fill(0);
    for (const layer of layers) {
      if (!measure(canvas, layer, row, left, line)) continue;
      layer.shade({ ...line, row });
      gather(line, left, sum);
    }
    for (let column = 0; column < width; column += 1) {
      const kept = left[column] ?? 1;
      if (kept === 1) continue;
      const at = (row * width + column) * 3;
      const dither = ditherAt(column, row);
      const from = column * 3;
      pixels[at] = (sum[from] ?? 0) + (pixels[at] ?? 0) * kept + dither;
      pixels[at + 1] = (sum[from + 1] ?? 0) + (pixels[at + 1] ?? 0) * kept + dither;
      pixels[at + 2] = (sum[from + 2] ?? 0) + (pixels[at + 2] ?? 0) * kept + dither;
    }
  };
}

/** Finds what of a layer is seen in a row; whether anything is. */
function measure(
  { width, unit }: Canvas,
  { ground, standing }: Layer,
  row: number,
  left: Float32Array,
  { cover, depth }: Omit<Line, "row">,
): boolean {
  const maskAt = standing === undefined || row < standing.firstRow ? -1 : (row - standing.firstRow) * width;
  let isSeen = false;
  for (let column = 0; column < width; column += 1) {
    const below = row + 0.5 - (ground[column] ?? 0);
    let share = Math.min(1, Math.max(0, below + 0.5));
    // The ground's own edge is ground, however thin; only what rises above it stands on it.
    depth[column] = share > 0 ? Math.max(0.01, below) / unit : 0;
    if (share < 1 && maskAt >= 0) share = Math.max(share, (standing?.cover[maskAt + column] ?? 0) / 255);
    if ((left[column] ?? 0) < COVER_MIN) share = 0;
    cover[column] = share;
    if (share > 0) isSeen = true;
  }
  return isSeen;
}

/** Adds a layer's colours to what nearer layers have left free. */
function gather({ cover, ink }: Omit<Line, "row">, left: Float32Array, sum: Float32Array): void {
  for (let column = 0; column < cover.length; column += 1) {
    const share = (cover[column] ?? 0) * (left[column] ?? 0);
    if (share === 0) continue;
    const at = column * 3;
    sum[at] = (sum[at] ?? 0) + (ink[at] ?? 0) * share;
    sum[at + 1] = (sum[at + 1] ?? 0) + (ink[at + 1] ?? 0) * share;
    sum[at + 2] = (sum[at + 2] ?? 0) + (ink[at + 2] ?? 0) * share;
    left[column] = (left[column] ?? 0) - share;
  }
}

function highestOf(layers: readonly Layer[], toRow: number): number {
  return layers.reduce((least, { ground, standing }) => {
    const top = ground.reduce((low, row) => Math.min(low, row), toRow);
    return Math.min(least, top, standing?.firstRow ?? toRow);
  }, toRow);
}
