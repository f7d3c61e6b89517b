import type { Colour } from "./colour.ts";
import type { Picture } from "./png.ts";

/** A picture being painted, measured in its own height: y runs from 0 to 1, x from the middle outwards. */
export interface Canvas extends Picture {
  /** The height in pixels: what one unit is. */
  readonly unit: number;
  /** The distance from the middle to either side. */
  readonly reach: number;
}

export function createCanvas(width: number, height: number): Canvas {
  return {
    width,
    height,
    pixels: new Uint8ClampedArray(width * height * 3),
    unit: height,
    reach: width / height / 2,
  };
}

/** Where a column lies, in units. */
export function unitX(canvas: Canvas, column: number): number {
  return (column + 0.5) / canvas.unit - canvas.reach;
}

/** Where a place lies, in columns. */
export function columnOf(canvas: Canvas, x: number): number {
  return (x + canvas.reach) * canvas.unit;
}

/** A pattern finer than the steps between colours, so that a soft gradient shows no bands. */
const DITHER = Float32Array.from(
  [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5],
  (step) => (step + 0.5) / 16 - 0.5,
);

/** What to add to a pixel's exact colour before it is rounded. */
export function ditherAt(column: number, row: number): number {
  return DITHER[(row & 3) * 4 + (column & 3)] ?? 0;
}

/** A soft round spot of light or colour, given in pixels. */
export function stampSpot(
  canvas: Canvas,
  centreX: number,
  centreY: number,
  radius: number,
  ink: Colour,
  strength: number,
): void {
  const { width, height, pixels } = canvas;
  const [red, green, blue] = ink;
  const fromX = Math.max(0, Math.floor(centreX - radius));
  const toX = Math.min(width - 1, Math.ceil(centreX + radius));
  const fromY = Math.max(0, Math.floor(centreY - radius));
  const toY = Math.min(height - 1, Math.ceil(centreY + radius));
  for (let row = fromY; row <= toY; row += 1) {
    for (let column = fromX; column <= toX; column += 1) {
      const distance = ((column + 0.5 - centreX) ** 2 + (row + 0.5 - centreY) ** 2) / (radius * radius);
      if (distance >= 1) continue;
      const share = strength * (1 - distance) * (1 - distance);
      const at = (row * width + column) * 3;
      pixels[at] = (pixels[at] ?? 0) * (1 - share) + red * share;
      pixels[at + 1] = (pixels[at + 1] ?? 0) * (1 - share) + green * share;
      pixels[at + 2] = (pixels[at + 2] ?? 0) * (1 - share) + blue * share;
    }
  }
}

/** A thin line that is strongest in its middle, given in pixels. */
export function stampLine(
  canvas: Canvas,
  from: readonly [number, number],
  to: readonly [number, number],
  radius: number,
  ink: Colour,
  strength: number,
): void {
  const steps = Math.max(1, Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / Math.max(0.6, radius * 0.6)));
  for (let step = 0; step <= steps; step += 1) {
    const share = step / steps;
    const x = from[0] + (to[0] - from[0]) * share;
    const y = from[1] + (to[1] - from[1]) * share;
    stampSpot(canvas, x, y, radius, ink, strength);
  }
}
