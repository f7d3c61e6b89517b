import { pickRandom, type Random } from "@trunkline/core/random.ts";

export type Scene = "mountains" | "lake" | "ocean" | "forest" | "hills" | "desert" | "city" | "space" | "waves";
export type Hour = "dawn" | "day" | "sunset" | "night";
type Weather = "clear" | "cloudy" | "fog" | "rain" | "snow" | "storm";
type Extra = "stars" | "moon" | "aurora" | "birds" | "rainbow" | "flowers" | "fire" | "autumn" | "water" | "boat";

/** What the words ask a picture to be. */
export interface Mood {
  readonly scene: Scene;
  readonly hour: Hour;
  readonly weather: Weather;
  /** Degrees on the OKLab colour wheel; undefined: the hour's own colours. */
  readonly hue: number | undefined;
  readonly extras: ReadonlySet<Extra>;
}

const SCENES: Readonly<Record<Scene, string>> = {
  mountains: "mountain mountainside mount alps alpine peak summit cliff ridge himalaya highland rocky everest fjord",
  lake: "lake pond river reflection mirror calm serene stream waterfall",
  ocean:
    "ocean sea seaside seashore beach coast shore wave island sail sailboat sailing boat ship yacht tide marine pacific atlantic surf lighthouse bay",
  forest: "forest wood tree pine jungle wild deer wolf bear fox camp cabin owl",
  hills: "hill meadow field garden flower valley farm village grass countryside spring bloom tulip lavender vineyard",
  desert: "desert dune sand sahara canyon camel mars egypt pyramid",
  city: "city cityscape town skyline tower building street urban skyscraper downtown york tokyo london paris berlin neon cyberpunk metropolis",
  space: "space galaxy nebula planet universe cosmos cosmic milky astronaut rocket orbit interstellar alien",
  waves: "abstract pattern wallpaper gradient shape minimal modern music dream flow art logo geometric idea data ai",
};

const HOURS: Readonly<Record<Hour, string>> = {
  dawn: "dawn sunrise morning early daybreak",
  day: "day noon sunny summer midday afternoon daylight",
  sunset: "sunset dusk evening twilight sundown",
  night: "night midnight nightfall dark starry moonlight moonlit nocturnal",
};

/** Words that name no hour, but go with one. */
const IMPLIED_HOURS: Readonly<Record<Hour, string>> = {
  dawn: "pastel soft pink peach mist misty gentle hope",
  day: "spring rainbow meadow garden flower butterfly bee beach bright sky blue happy bloom tulip lavender",
  sunset: "golden orange warm glow fire romantic flame lava volcano ember dragon phoenix autumn desert love",
  night: "star moon galaxy space nebula aurora cosmos milky neon cyberpunk owl wolf northern borealis universe ghost",
};

const WEATHERS: Readonly<Record<Exclude<Weather, "clear">, string>> = {
  cloudy: "cloud cloudy overcast",
  fog: "fog mist misty foggy haze hazy mysterious silent ghost",
  rain: "rain rainy raining rainfall drizzle monsoon",
  snow: "snow winter snowy snowfall snowstorm ice icy frost frozen blizzard christmas arctic",
  storm: "storm stormy thunder thunderstorm lightning tempest hurricane dramatic",
};

const EXTRAS: Readonly<Record<Extra, string>> = {
  stars: "star starry galaxy constellation milky universe cosmos",
  moon: "moon moonlight lunar full-moon owl wolf",
  aurora: "aurora borealis northern polar arctic",
  birds: "bird gull eagle swallow crow flock free freedom",
  rainbow: "rainbow",
  flowers: "flower tulip bloom lavender poppy rose meadow garden spring blossom",
  fire: "fire flame lava volcano ember burning inferno dragon phoenix",
  autumn: "autumn fall october november harvest maple",
  water: "lake river harbor harbour bay reflection water waterfront fjord",
  boat: "boat sail ship sailing sailboat yacht",
};

const HUES: readonly (readonly [string, number])[] = [
  ["red crimson scarlet mars blood ruby", 25],
  ["orange amber tangerine copper", 55],
  ["gold golden yellow honey", 85],
  ["lime", 125],
  ["green emerald jade mint", 150],
  ["teal turquoise cyan aqua", 195],
  ["blue azure sapphire navy indigo", 255],
  ["purple violet lavender cyberpunk amethyst", 305],
  ["pink magenta rose fuchsia cherry neon", 350],
];

/** Reads from the words what they steer; the rest falls as the words' own numbers have it. */
export function moodOf(words: string, random: Random): Mood {
  const said = saidIn(words);
  const extras = new Set<Extra>();
  for (const [extra, signs] of entriesOf(EXTRAS)) if (mentions(said, signs)) extras.add(extra);
  const hue = HUES.find(([signs]) => mentions(said, signs))?.[1];
  // Every choice is drawn, asked for or not, so that adding a word moves as little else as can be.
  const drawnScene = pickRandom<Scene>(random, [
    "mountains",
    "mountains",
    "lake",
    "ocean",
    "hills",
    "desert",
    "forest",
    "waves",
  ]);
  const drawnHour = pickRandom<Hour>(random, ["dawn", "day", "sunset", "sunset", "night"]);
  const drawnWeather = pickRandom<Weather>(random, ["clear", "clear", "cloudy", "fog"]);
  return {
    scene: sceneOf(firstSaid(said, SCENES) ?? drawnScene, extras),
    hour: firstSaid(said, HOURS) ?? firstSaid(said, IMPLIED_HOURS) ?? drawnHour,
    weather: firstSaid(said, WEATHERS) ?? drawnWeather,
    hue,
    extras,
  };
}

/** Mountains or woods with water before them are a lake. */
function sceneOf(scene: Scene, extras: ReadonlySet<Extra>): Scene {
  return extras.has("water") && (scene === "mountains" || scene === "forest") ? "lake" : scene;
}

/** The words of the text, each also without its plural, with the place where it first stands. */
function saidIn(words: string): ReadonlyMap<string, number> {
  const said = new Map<string, number>();
  for (const [index, word] of (words.toLowerCase().match(/\p{L}+/gu) ?? []).entries()) {
    for (const form of [word, word.replace(/s$/, ""), word.replace(/es$/, ""), word.replace(/ies$/, "y")]) {
      if (!said.has(form)) said.set(form, index);
    }
  }
  return said;
}

/** The choice whose sign stands first in the text: in "a city by the sea" the city is the subject. */
function firstSaid<T extends string>(
  said: ReadonlyMap<string, number>,
  choices: Readonly<Record<T, string>>,
): T | undefined {
  let first: T | undefined;
  let firstIndex = Number.POSITIVE_INFINITY;
  for (const [choice, signs] of entriesOf(choices)) {
    for (const sign of signs.split(" ")) {
      const index = said.get(sign);
      if (index !== undefined && index < firstIndex) {
        first = choice;
        firstIndex = index;
      }
    }
  }
  return first;
}

function mentions(said: ReadonlyMap<string, number>, signs: string): boolean {
  return signs.split(" ").some((sign) => said.has(sign));
}

function entriesOf<T extends string>(record: Readonly<Record<T, string>>): [T, string][] {
  return Object.entries(record) as [T, string][];
}
