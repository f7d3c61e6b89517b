import { type Random, randomBetween } from "@trunkline/core/random.ts";
import type { Mood } from "./mood.ts";

/** The sun, or at night the moon: where the light comes from. */
export interface Sun {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly shows: boolean;
}

/** What the sky of one picture is made of. */
export interface Sky {
  readonly sun: Sun;
  /** Where it meets the land or the water. */
  readonly horizon: number;
  /** 0 for none to 1 for overcast. */
  readonly clouds: number;
}

/** Plans the sky before anything is painted, as the land takes its light from it. */
export function planSky(mood: Mood, horizon: number, reach: number, random: Random): Sky {
  const low = mood.hour === "sunset" || mood.hour === "dawn";
  const drop = randomBetween(random, low ? 0.03 : 0.24, low ? 0.17 : 0.4);
  const x = randomBetween(random, 0.12, 0.55) * reach * (random() < 0.5 ? -1 : 1);
  const size = { dawn: 0.055, day: 0.036, sunset: 0.062, night: 0.044 }[mood.hour];
  const radius = size * randomBetween(random, 0.85, 1.2);
  // A rainbow stands opposite the sun: who sees it has the sun behind.
  const hidden =
    mood.extras.has("rainbow") ||
    mood.scene === "space" ||
    mood.weather === "storm" ||
    mood.weather === "rain" ||
    mood.weather === "snow";
  const thick = { clear: 0.3, cloudy: 0.75, fog: 0.2, rain: 0.85, snow: 0.5, storm: 1 }[mood.weather];
  return {
    sun: { x, y: Math.max(0.1, horizon - drop), radius, shows: !hidden || mood.extras.has("moon") },
    horizon,
    clouds: mood.scene === "space" ? 0 : thick * randomBetween(random, 0.8, 1.1),
  };
}
