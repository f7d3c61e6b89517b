import { type Canvas, unitX } from "./canvas.ts";

/** Works out soft quantities of a place, each into its own slot. */
export type Sampler = (x: number, y: number, out: Float32Array) => void;

/** Soft things are worked out about this often per unit; finer, nobody would see it. */
const SAMPLES_PER_UNIT = 340;

/**
 * Quantities that change slowly over the picture, such as clouds: sampled every few pixels and blended in between,
 * which takes a tenth of the time. Call it with each row in turn; it fills one line per quantity.
 */
export function softRows(
  canvas: Canvas,
  quantities: number,
  sample: Sampler,
): (row: number) => readonly Float32Array[] {
  const step = Math.max(1, Math.round(canvas.unit / SAMPLES_PER_UNIT));
  const samples = Math.ceil(canvas.width / step) + 2;
  const out = new Float32Array(quantities);
  const lines = Array.from({ length: quantities }, () => new Float32Array(canvas.width));
  let upper = new Float32Array(samples * quantities);
  let lower = new Float32Array(samples * quantities);
  let upperIndex = Number.NaN;

  const sampleLine = (index: number, line: Float32Array) => {
    for (let i = 0; i < samples; i += 1) {
      sample(unitX(canvas, i * step), (index * step) / canvas.unit, out);
      line.set(out, i * quantities);
    }
  };
  return (row) => {
    const index = Math.floor(row / step);
    if (index !== upperIndex) {
      [upper, lower] = [lower, upper];
      if (index !== upperIndex + 1) sampleLine(index, upper);
      sampleLine(index + 1, lower);
      upperIndex = index;
    }
    blendLines(lines, upper, lower, row / step - index, step);
    return lines;
  };
}

function blendLines(
  lines: readonly Float32Array[],
  upper: Float32Array,
  lower: Float32Array,
  down: number,
  step: number,
): void {
  const quantities = lines.length;
  lines.forEach((line, quantity) => {
    let left = 0;
    let right = 0;
    for (let column = 0; column < line.length; column += 1) {
      const within = column % step;
      if (within === 0) {
        const at = (column / step) * quantities + quantity;
        left = (upper[at] ?? 0) + ((lower[at] ?? 0) - (upper[at] ?? 0)) * down;
        const next = at + quantities;
        right = (upper[next] ?? 0) + ((lower[next] ?? 0) - (upper[next] ?? 0)) * down;
      }
      line[column] = left + ((right - left) * within) / step;
    }
  });
}
