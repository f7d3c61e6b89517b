import type { Random } from "@trunkline/core/random.ts";
import type { Canvas } from "./canvas.ts";
import type { Mood } from "./mood.ts";
import type { Noise } from "./noise.ts";
import type { Palette } from "./palette.ts";
import type { Sky } from "./plan-sky.ts";

/** What a picture is made from, settled before the first stroke. */
export interface Setting {
  readonly canvas: Canvas;
  readonly mood: Mood;
  readonly palette: Palette;
  readonly sky: Sky;
  readonly noise: Noise;
  readonly random: Random;
}
