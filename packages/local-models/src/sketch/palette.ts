import { pickRandom, type Random } from "@trunkline/core/random.ts";
import { type Colour, colour, mix, shade, tint } from "./colour.ts";
import type { Hour, Mood } from "./mood.ts";

/** The colours of one picture. */
export interface Palette {
  /** From the zenith down to the horizon. */
  readonly sky: readonly Colour[];
  /** The sun or the moon, and what they throw on things. */
  readonly light: Colour;
  /** What distance fades to. */
  readonly haze: Colour;
  /** The nearest land. */
  readonly land: Colour;
  readonly cloudShade: Colour;
  readonly cloudLight: Colour;
  readonly water: Colour;
  readonly dark: boolean;
}

type Swatch = readonly [sky: string, light: string, haze: string, land: string, clouds: string, water: string];

const SWATCHES: Readonly<Record<Hour, readonly [Swatch, ...Swatch[]]>> = {
  dawn: [
    ["#47639b #8a93c4 #d7b3cd #f6cdb9 #ffe7c4", "#fff3d6", "#eec7b8", "#33415f", "#b79dbd #ffe3d0", "#40597f"],
    ["#3c6c8c #7fa9b8 #c5cfc4 #f4dcb8 #ffeccb", "#fff6df", "#e5d6bf", "#2c4850", "#9fb2b4 #fff0d8", "#3a6675"],
    ["#564a86 #9d7fb0 #dea1b6 #f8c3ae #ffe0bd", "#fff0da", "#eab6b3", "#3c3560", "#a882ad #ffd9cb", "#51508a"],
  ],
  day: [
    ["#1f6fc0 #4f9be0 #93c6f0 #cde7f6 #eef6f3", "#fffbe8", "#c4dfe9", "#1f4a45", "#a9bed2 #ffffff", "#1b5f8c"],
    ["#2a86b8 #5fb3d4 #a3d6df #d8eee2 #f8f6e0", "#fffdf0", "#cfe6dd", "#2a5a3c", "#b3cbd0 #ffffff", "#15718a"],
    ["#3263a8 #6d97d0 #a9c4e6 #dde3ee #f8ecdc", "#fff6e0", "#cdd5e2", "#2e4a5e", "#aab6cc #fffaf2", "#2a5a93"],
  ],
  sunset: [
    ["#22184d #5b2a72 #b5406f #f0705a #ffb066 #ffe0a0", "#ffe9b8", "#f0906a", "#1f1233", "#6e3470 #ffa877", "#3c1f55"],
    ["#16294f #3b4f86 #8d6a94 #dc8377 #fbb877 #ffe2a8", "#fff0c4", "#e2a283", "#14203a", "#5d5684 #ffbf94", "#223c66"],
    ["#3a1030 #7c1f3f #c43d3d #ee7436 #fbb048 #ffe294", "#fff0b5", "#ec8a4a", "#250b1c", "#7a2740 #ff9d58", "#511a33"],
    ["#2a2350 #684a86 #b56a98 #ef8f94 #ffc19a #ffe6c0", "#fff0d2", "#eda69a", "#281c40", "#7d5590 #ffc3a8", "#41356e"],
  ],
  night: [
    ["#040714 #0a1430 #142650 #27406f #4b6690", "#eef2ff", "#33507d", "#04070f", "#16233f #4f6690", "#0a1830"],
    ["#0a0518 #1c0f3a #35205e #573a82 #8560a0", "#fff2ea", "#5d4383", "#080412", "#2a1a48 #7d5c9a", "#170e33"],
    ["#02100f #06262b #0d4147 #1f6362 #4b8f82", "#f0fff6", "#2f726e", "#020c0c", "#0e3338 #4b8a80", "#062528"],
  ],
};

const STORM: Swatch = [
  "#171b23 #2c343f #4a5561 #77808a #a9aaa3",
  "#f3efe2",
  "#7d858c",
  "#12161c",
  "#262c36 #9aa0a4",
  "#222c36",
];

/** Where the colour wheel is green. */
const GREEN = 150;

/** The colours that fit a mood, turned towards the colour that the words name. */
export function paletteOf(mood: Mood, random: Random): Palette {
  const drawn = pickRandom(random, SWATCHES[mood.hour]);
  const [sky, light, haze, land, clouds, water] = mood.weather === "storm" && mood.hour !== "sunset" ? STORM : drawn;
  const [cloudShade = "#888888", cloudLight = "#ffffff"] = clouds.split(" ");
  // Green names the land, seldom the sky above it.
  const skyShare = mood.hue === GREEN && mood.scene !== "space" && mood.scene !== "waves" ? 0.15 : 0.72;
  const turn = (hex: string, share: number) => {
    const plain = colour(hex);
    return mood.hue === undefined ? plain : tint(plain, mood.hue, share);
  };
  const palette: Palette = {
    sky: sky.split(" ").map((hex, index) => turn(hex, skyShare * (1 - index * 0.07))),
    light: turn(light, 0.15),
    haze: turn(haze, skyShare * 0.9),
    land: turn(land, 0.5),
    cloudShade: turn(cloudShade, 0.55),
    cloudLight: turn(cloudLight, 0.35),
    water: turn(water, 0.55),
    dark: mood.hour === "night",
  };
  return weathered(palette, mood);
}

/** Bad weather takes the colour out of things; snow makes them light. */
function weathered(palette: Palette, mood: Mood): Palette {
  if (mood.weather === "clear" || mood.weather === "cloudy" || mood.weather === "storm") return palette;
  const grey = mood.hour === "night" ? colour("#39465c") : colour(mood.weather === "rain" ? "#8b98a3" : "#d5dade");
  const share = mood.hour === "night" ? 0.18 : mood.weather === "rain" ? 0.45 : 0.28;
  return {
    ...palette,
    sky: palette.sky.map((stop) => mix(stop, grey, share)),
    haze: mix(palette.haze, grey, share + 0.1),
    land: mood.weather === "snow" ? shade(palette.land, 1.15) : palette.land,
    cloudLight: mix(palette.cloudLight, grey, share),
  };
}
