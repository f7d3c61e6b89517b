import { createSeededRandom, pickRandom, randomBetween } from "@trunkline/core/random.ts";

/** Red, green and blue, 0 to 255 with fractions. */
export type Colour = readonly [number, number, number];
export type Outline = "peaks" | "hills" | "trees" | "blocks";
type Choices<T> = readonly [readonly [words: string, value: T], ...(readonly [words: string, value: T])[]];

const PLACES: Choices<{ readonly outlines: readonly Outline[]; readonly hasWater?: boolean }> = [
  ["mountain|alps|alpine|peak|summit|volcano", { outlines: ["peaks", "peaks", "peaks", "hills", "trees"] }],
  ["lake|pond|river|fjord|harbour|harbor", { outlines: ["peaks", "peaks", "trees"], hasWater: true }],
  ["ocean|sea|beach|coast|wave|island|boat|sailboat|ship|lighthouse", { outlines: ["hills"], hasWater: true }],
  ["forest|wood|tree|pine|jungle|deer|wolf|bear|autumn", { outlines: ["peaks", "hills", "trees", "trees", "trees"] }],
  ["hill|meadow|field|garden|flower|valley|farm|desert|dune", { outlines: ["peaks", "hills", "hills", "hills"] }],
  ["city|cities|town|skyline|tower|building|street|neon", { outlines: ["hills", "blocks", "blocks", "blocks"] }],
  ["space|galaxy|galaxies|nebula|planet|universe|cosmos|astronaut|rocket", { outlines: [] }],
];
/** Five colours: the sky at the zenith, half way down and at the horizon, the light, the land. */
const HOURS: Choices<{ readonly palette: string; readonly isNight?: boolean }> = [
  ["dawn|sunrise|morning|pastel|mist|misty", { palette: "47639b d7b3cd ffe7c4 fff3d6 33415f" }],
  ["day|noon|sunny|summer|afternoon|spring|beach", { palette: "1f6fc0 93c6f0 eef6f3 fffbe8 1f4a45" }],
  ["sunset|dusk|evening|golden|fire|lava|volcano|autumn", { palette: "22184d c4486a ffc477 ffe9b8 1f1233" }],
  ["night|midnight|dark|star|moon|neon|space|nebula", { palette: "080a1e 1a2650 566a98 eef2ff 060812", isNight: true }],
];
const WEATHERS: Choices<"fog" | "rain" | "snow"> = [
  ["fog|foggy|mist|misty|haze|hazy|cloudy", "fog"],
  ["rain|rainy|drizzle|storm|stormy|thunderstorm|lightning", "rain"],
  ["snow|snowy|winter|ice|icy|frost|frozen|blizzard|arctic", "snow"],
];
const HUES: Choices<Colour> = [
  ["red|crimson|scarlet|ruby|mars", [224, 40, 24]],
  ["orange|amber|copper|gold|golden|yellow", [240, 150, 32]],
  ["green|emerald|jade", [56, 160, 72]],
  ["teal|turquoise|cyan|aqua", [24, 168, 176]],
  ["blue|azure|sapphire|navy|indigo", [40, 96, 216]],
  ["purple|violet|lavender|amethyst", [136, 56, 208]],
  ["pink|magenta|rose|fuchsia|neon", [240, 72, 152]],
];

/** What the words ask a picture to show. Numbers drawn from the words decide what they leave open. */
export function readScene(text: string) {
  const random = createSeededRandom(text);
  const { outlines, hasWater = false } = firstNamed(text, PLACES) ?? pickRandom(random, PLACES)[1];
  const { palette, isNight = false } = firstNamed(text, HOURS) ?? pickRandom(random, HOURS)[1];
  const weather = firstNamed(text, WEATHERS);
  const hue = firstNamed(text, HUES);
  const [red, green, blue] = hue ?? pickRandom(random, HUES)[1];
  const share = hue === undefined ? randomBetween(random, 0, 0.25) : 0.6;
  // A tint turns a colour towards the hue and keeps how light it is.
  const [zenith, middle, horizon, light, land] = palette.split(" ").map((hex) => {
    const value = Number.parseInt(hex, 16);
    const base: Colour = [value >> 16, (value >> 8) & 255, value & 255];
    const lightness = (base[0] + base[1] + base[2]) / (red + green + blue);
    return mix(base, [red * lightness, green * lightness, blue * lightness], share);
  }) as [Colour, Colour, Colour, Colour, Colour];
  return { outlines, hasWater, isNight, weather, zenith, middle, horizon, light, land, random };
}

/** The choice that the text names first: in "a city by the sea" the city is the subject. */
function firstNamed<T>(text: string, choices: Choices<T>): T | undefined {
  let first: { at: number; value: T } | undefined;
  for (const [words, value] of choices) {
    const at = text.search(new RegExp(`(?<!\\p{L})(?:${words})(?:e?s)?(?!\\p{L})`, "iu"));
    if (at >= 0 && at < (first?.at ?? text.length)) first = { at, value };
  }
  return first?.value;
}

export function mix([red, green, blue]: Colour, other: Colour, share: number): Colour {
  return [red + (other[0] - red) * share, green + (other[1] - green) * share, blue + (other[2] - blue) * share];
}
