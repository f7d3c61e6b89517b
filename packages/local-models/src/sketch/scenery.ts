import { randomBetween } from "@trunkline/core/random.ts";
import { type Colour, colour, mix, shade } from "./colour.ts";
import type { Layer } from "./land.ts";
import type { Scene } from "./mood.ts";
import type { Setting } from "./setting.ts";
import { misty, rocky, sandy, windowed } from "./shaders.ts";
import { buildings, dunes, peaks, roofs, slopes } from "./terrain.ts";
import { conifers, groves } from "./trees.ts";

/** The land of a scene, the nearest layer first. */
export function sceneryOf(setting: Setting): Layer[] {
  const build = BUILDERS[setting.mood.scene];
  return build(setting).reverse();
}

const BUILDERS: Readonly<Record<Scene, (setting: Setting) => Layer[]>> = {
  mountains: mountainLand,
  lake: lakeLand,
  ocean: coastLand,
  forest: forestLand,
  hills: hillLand,
  desert: desertLand,
  city: cityLand,
  space: farLand,
  waves: paperWaves,
};

/** The colour of what stands on land at a distance: 0 is the farthest, 1 the nearest. */
function landColour({ palette, mood }: Setting, nearness: number): Colour {
  const near = mood.extras.has("autumn") ? mix(palette.land, colour("#8f3a10"), 0.62) : palette.land;
  return mix(palette.haze, near, nearness ** 0.8);
}

/** The colour of the bare ground there. */
function groundColour(setting: Setting, nearness: number): Colour {
  const { mood, palette } = setting;
  const plain = landColour(setting, nearness);
  if (mood.weather !== "snow") return plain;
  return mix(plain, mix(palette.haze, colour("#ffffff"), 0.55), palette.dark ? 0.3 : 0.62);
}

/** Fog lies thicker in the valleys. */
function mistOver(setting: Setting, nearness: number): Colour {
  const thick = setting.mood.weather === "fog" ? 0.75 : 0.5;
  return mix(groundColour(setting, nearness), setting.palette.haze, thick * (1.15 - nearness));
}

function lightSide({ sky }: Setting): number {
  return sky.sun.x < 0 ? -1 : 1;
}

/** Rocks against the sky. Snow lies down to a share of their height; in winter further. */
function mountainRange(
  setting: Setting,
  lie: { readonly base: number; readonly rise: number; readonly pace: number },
  nearness: number,
  snowTo: number,
): Layer {
  const { canvas, noise, palette, mood, random } = setting;
  const ground = peaks(canvas, noise, { ...lie, place: randomBetween(random, 0, 90) });
  const rock = landColour(setting, nearness);
  const bare = mood.weather === "snow" ? 0.08 : snowTo;
  const white = mix(mix(palette.haze, colour("#ffffff"), palette.dark ? 0.35 : 0.85), palette.light, 0.4);
  const look = {
    rock: shade(rock, 0.86),
    lit: mix(rock, palette.light, palette.dark ? 0.2 : 0.4),
    mist: mistOver(setting, nearness * 0.8),
    snow: shade(white, palette.dark ? 0.85 : 1),
    snowShade: mix(mix(rock, palette.sky[1] ?? rock, 0.45), white, 0.36),
  };
  const shape = {
    fade: lie.rise * 1.15,
    snowline: lie.base - lie.rise * bare,
    lightFrom: lightSide(setting),
  };
  return { ground, shade: rocky(canvas, noise, ground, look, shape) };
}

/** A wooded slope. */
function slope(setting: Setting, base: number, rise: number, nearness: number, trees: number, pace = 1.6): Layer {
  const { canvas, noise, random } = setting;
  const ground = slopes(canvas, noise, { base, rise, pace, place: randomBetween(random, 0, 90) });
  const look = {
    top: groundColour(setting, nearness),
    mist: mistOver(setting, nearness),
    standing: landColour(setting, nearness),
  };
  const layer = { ground, shade: misty(canvas, noise, look, rise + 0.1) };
  if (trees === 0) return layer;
  return { ...layer, standing: conifers(canvas, ground, { height: trees, density: 5.5 / trees }, random) };
}

function mountainLand(setting: Setting): Layer[] {
  const { random } = setting;
  return [
    mountainRange(
      setting,
      { base: 0.62, rise: randomBetween(random, 0.2, 0.32), pace: randomBetween(random, 1.3, 2) },
      0.18,
      0.62,
    ),
    mountainRange(
      setting,
      { base: 0.74, rise: randomBetween(random, 0.34, 0.48), pace: randomBetween(random, 1, 1.6) },
      0.42,
      0.58,
    ),
    slope(setting, 0.79, 0.12, 0.58, 0.018, 2.2),
    slope(setting, 0.89, 0.12, 0.78, 0.045, 1.8),
    slope(setting, 1.0, 0.12, 1, 0.13, 1.4),
  ];
}

function lakeLand(setting: Setting): Layer[] {
  const { random, sky } = setting;
  const shore = sky.horizon;
  return [
    mountainRange(
      setting,
      { base: shore + 0.02, rise: randomBetween(random, 0.22, 0.34), pace: randomBetween(random, 1.2, 1.8) },
      0.22,
      0.6,
    ),
    mountainRange(
      setting,
      { base: shore + 0.06, rise: randomBetween(random, 0.2, 0.32), pace: randomBetween(random, 1.1, 1.8) },
      0.45,
      0.62,
    ),
    slope(setting, shore + 0.003, 0.04, 0.74, 0.035, 1.5),
  ];
}

function coastLand(setting: Setting): Layer[] {
  const { random, sky } = setting;
  if (random() < 0.35) return [];
  const { canvas, noise } = setting;
  const rise = randomBetween(random, 0.03, 0.08);
  const far = slopes(canvas, noise, {
    base: sky.horizon + rise * 0.35,
    rise,
    pace: 1.3,
    place: randomBetween(random, 0, 90),
  });
  return [
    {
      ground: far,
      shade: misty(canvas, noise, { top: groundColour(setting, 0.3), mist: mistOver(setting, 0.2) }, rise * 1.6),
    },
  ];
}

function forestLand(setting: Setting): Layer[] {
  const { random } = setting;
  return [
    mountainRange(setting, { base: 0.58, rise: randomBetween(random, 0.16, 0.3), pace: 1.2 }, 0.16, 2),
    slope(setting, 0.6, 0.1, 0.24, 0.045),
    slope(setting, 0.69, 0.1, 0.4, 0.075),
    slope(setting, 0.79, 0.1, 0.58, 0.12),
    slope(setting, 0.91, 0.1, 0.78, 0.2),
    slope(setting, 1.06, 0.1, 1, 0.36),
  ];
}

function hillLand(setting: Setting): Layer[] {
  const { palette, mood, random, canvas, noise } = setting;
  const green = mood.extras.has("autumn") ? colour("#a8672a") : colour("#5f8f3e");
  const fresh = mood.weather === "snow" ? colour("#e8eef5") : mix(green, palette.light, palette.dark ? 0 : 0.12);
  const dim = palette.dark ? 0.6 : mood.hour === "sunset" ? 0.66 : 0.95;
  const hill = (base: number, rise: number, nearness: number): Layer => {
    const grass = mix(
      palette.haze,
      shade(mix(palette.land, fresh, palette.dark ? 0.5 : 0.72), dim),
      0.25 + 0.75 * nearness,
    );
    const ground = slopes(canvas, noise, { base, rise, pace: 1.25, place: randomBetween(random, 0, 90) });
    const look = {
      top: shade(grass, 1.12),
      mist: shade(grass, 0.7),
      standing: shade(mix(grass, palette.land, 0.2), 0.66),
    };
    const layer = { ground, shade: misty(canvas, noise, look, 0.26) };
    if (nearness > 0.9) return layer;
    return {
      ...layer,
      standing: groves(canvas, ground, { height: 0.014 + 0.04 * nearness, density: 6 }, random),
    };
  };
  return [
    mountainRange(setting, { base: 0.6, rise: randomBetween(random, 0.1, 0.24), pace: 1.3 }, 0.2, 2),
    hill(0.63, 0.09, 0.2),
    hill(0.7, 0.1, 0.42),
    hill(0.79, 0.12, 0.66),
    hill(0.9, 0.12, 0.85),
    hill(1.0, 0.1, 1),
  ];
}

function desertLand(setting: Setting): Layer[] {
  const { canvas, noise, palette, random } = setting;
  const gold = mix(colour("#d99a55"), palette.light, 0.15);
  const sand = palette.dark ? mix(gold, palette.haze, 0.55) : gold;
  const shadow = mix(colour("#7a3d2c"), palette.land, 0.5);
  const dim = palette.dark ? 0.6 : 1;
  return [0.1, 0.3, 0.52, 0.76, 1].map((nearness) => {
    const base = 0.6 + 0.4 * nearness;
    const ground = dunes(canvas, noise, {
      base,
      rise: 0.05 + 0.13 * nearness,
      pace: 3.4 - 2 * nearness,
      place: randomBetween(random, 0, 90),
    });
    const lit = shade(mix(palette.haze, sand, 0.3 + 0.7 * nearness), dim);
    const dark = shade(mix(palette.haze, shadow, 0.25 + 0.75 * nearness), dim);
    return { ground, shade: sandy(canvas, noise, ground, lit, dark, lightSide(setting)) };
  });
}

function cityLand(setting: Setting): Layer[] {
  const { canvas, palette, mood, random, sky } = setting;
  const street = sky.horizon + 0.03;
  const litShare = palette.dark ? 0.5 : mood.hour === "day" ? 0.06 : 0.28;
  const glow = mood.hue === undefined ? colour("#ffd48a") : mix(palette.light, colour("#ffd48a"), 0.3);
  return [0.18, 0.45, 0.85].map((nearness, index) => {
    const row = buildings(canvas, street, 0.44 - 0.1 * index, random);
    const wall = landColour(setting, nearness);
    const mist = mistOver(setting, nearness * 0.7);
    const shown = mix(wall, glow, 0.35 + 0.6 * nearness);
    return {
      ground: roofs(canvas, street, row),
      shade: windowed(
        canvas,
        row,
        { wall, mist, glow: shown },
        { litShare: litShare * (0.4 + 0.6 * nearness), fade: 0.42 },
      ),
    };
  });
}

function farLand(setting: Setting): Layer[] {
  return [slope(setting, 0.93, 0.07, 0.8, 0, 2.4), slope(setting, 1.0, 0.08, 1, 0.05, 1.6)];
}

/** Sheets of coloured paper, one before the other. */
function paperWaves(setting: Setting): Layer[] {
  const { canvas, noise, palette, random } = setting;
  const count = 8;
  const stops = [palette.haze, ...palette.sky.slice(0, -1).reverse(), palette.land];
  return Array.from({ length: count }, (_, index) => {
    const place = (index / (count - 1)) * (stops.length - 1);
    const from = stops[Math.floor(place)] ?? palette.haze;
    const paper = mix(from, stops[Math.ceil(place)] ?? from, place % 1);
    const ground = slopes(canvas, noise, {
      base: 0.3 + index * 0.1,
      rise: 0.2,
      pace: 0.9,
      place: randomBetween(random, 0, 90),
    });
    return {
      ground,
      shade: misty(canvas, noise, { top: mix(paper, palette.light, 0.22), mist: shade(paper, 0.86) }, 0.24),
    };
  });
}
