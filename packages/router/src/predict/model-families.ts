import { plainModelName } from "./model-name.ts";

/** The published scores of a version of a family, in percent. */
interface FamilyVersion {
  /** 0: the family has no versions. */
  readonly version: number;
  /** Of questions for graduates (GPQA Diamond). */
  readonly score: number;
  /** The score that fits its published results in programming, where it is made for that. */
  readonly codeScore: number | undefined;
}

/**
 * By family, a score for each version. The scores are approximate: rounded, as publishers stated them, and partly measured
 * with other settings. `32 code 54`: made for programming, in which it is like a model with 54.
 */
const PUBLISHED_SCORES: Readonly<Record<string, string>> = {
  gpt: "4: 36, 4.1: 66, 5: 86",
  "gpt mini": "4.1: 65, 5: 82",
  "gpt nano": "4.1: 50, 5: 71",
  "gpt 4o": "54",
  "gpt 4o mini": "40",
  "chatgpt 4o": "54",
  "gpt turbo": "3.5: 31, 4: 48",
  "gpt oss 120b": "80",
  "gpt oss 20b": "71",
  o: "1: 76, 3: 83",
  "o mini": "1: 60, 3: 77, 4: 81",
  "claude opus": "3: 50, 4: 80, 4.1: 81",
  "claude sonnet": "3: 40, 3.5: 65, 3.7: 68, 4: 75, 4.5: 83",
  "claude haiku": "3: 33, 3.5: 42, 4.5: 73",
  "gemini pro": "1.5: 59, 2.5: 86",
  "gemini flash": "1.5: 51, 2: 62, 2.5: 83",
  "gemini flash 8b": "1.5: 38",
  "gemini flash lite": "2: 52, 2.5: 65",
  "gemma 27b": "2: 36, 3: 42",
  "gemma 12b": "3: 41",
  "gemma 9b": "2: 33",
  "gemma 4b": "3: 31",
  deepseek: "3: 59, 3.1: 75",
  "deepseek r": "1: 72",
  "deepseek reasoner": "72",
  "llama maverick": "4: 70",
  "llama scout": "4: 57",
  "llama 405b": "3.1: 51",
  "llama 70b": "3.1: 42, 3.3: 50",
  "llama 8b": "3: 30, 3.1: 33",
  "llama 3b": "3.2: 33",
  "llama 1b": "3.2: 27",
  "qwen 235b": "3: 71",
  "qwen 72b": "2.5: 49",
  "qwen 32b": "2.5: 49, 3: 65",
  "qwen 8b": "3: 50",
  "qwen 7b": "2.5: 36",
  "qwen coder 32b": "2.5: 45 code 56",
  "qwq 32b": "65",
  "mistral large": "49",
  "mistral medium": "3: 57",
  "mistral small": "3: 45",
  "mistral 7b": "27",
  "mixtral 8x7b": "30",
  "mixtral 8x22b": "34",
  codestral: "40 code 52",
  phi: "4: 56",
  "phi mini": "3: 31",
  "command r plus": "33",
  "command a": "51",
  grok: "2: 56, 3: 75, 4: 88",
  "grok mini": "3: 80",
  kimi: "2: 75",
  glm: "4.5: 79",
  "minimax m": "1: 70",
  "nova pro": "47",
  "nova lite": "42",
  "nova micro": "40",
};

interface Family {
  readonly words: readonly string[];
  /** From the oldest to the newest. */
  readonly versions: readonly FamilyVersion[];
}

/** Families with more words come first: `gpt 4o mini` before `gpt mini`, and that before `gpt`. */
const FAMILIES: readonly Family[] = Object.entries(PUBLISHED_SCORES)
  .map(([words, scores]) => ({ words: words.split(" "), versions: scores.split(", ").map(readVersion) }))
  .toSorted((one, other) => other.words.length - one.words.length);

/** For the model card. */
export function familyCount(): number {
  return FAMILIES.length;
}

function readVersion(entry: string): FamilyVersion {
  const [scores = "", version = "0"] = entry.split(": ").toReversed();
  const [score, codeScore] = scores.split(" code ");
  return {
    version: Number(version),
    score: Number(score),
    codeScore: codeScore === undefined ? undefined : Number(codeScore),
  };
}

/** Words for another size or make of a model than the family's own: such a model is not of the family. */
const OTHER_SIZE =
  /^(?:mini|nano|lite|tiny|small|micro|flash|distill|distilled|embed|embedding|\d+x\d+b|\d+(?:\.\d+)?[bm])$/;

/** What a well-known family says about the strength of its models, in log-odds on the scale of claims. */
export interface FamilyStrength {
  readonly odds: number;
  /** In programming, for a model that is made for it. */
  readonly codeOdds: number;
}

/**
 * The published strength of the family that a name tells; undefined: it tells none, or an older version than those known.
 * A version that is not known is as strong as the last before it, and a name without a version as the newest.
 */
export function familyStrengthOf(name: string): FamilyStrength | undefined {
  const named = readName(name);
  for (const family of FAMILIES) {
    if (!isOfFamily(named, family)) continue;
    const version = named.find(({ word }) => word === family.words[0])?.version ?? named[0]?.version;
    const known = version === undefined ? newestOf(family, named) : versionUpTo(version, family);
    if (known === undefined) continue;
    const odds = strengthOfScore(known.score);
    return { odds, codeOdds: known.codeScore === undefined ? odds : strengthOfScore(known.codeScore) };
  }
  return undefined;
}

/** A word of a name, with the version that comes next in the name. */
interface NamedWord {
  readonly word: string;
  readonly version: number | undefined;
}

function isOfFamily(named: readonly NamedWord[], { words }: Family): boolean {
  if (!words.every((wanted) => named.some(({ word }) => word === wanted))) return false;
  return named.every(({ word }) => words.includes(word) || !OTHER_SIZE.test(word) || isPartSize(word, words));
}

/** Words of makers for a size. The number of parameters beside them says no more, or is that of a part. */
const SIZE_NAME = /^(?:mini|nano|lite|small|flash|maverick|scout)$/;

function isPartSize(word: string, words: readonly string[]): boolean {
  return /\db$/.test(word) && words.some((one) => SIZE_NAME.test(one));
}

function newestOf({ words, versions }: Family, named: readonly NamedWord[]): FamilyVersion | undefined {
  return versions[0]?.version === 0 || named.length === words.length ? versions.at(-1) : undefined;
}

function versionUpTo(version: number, { versions }: Family): FamilyVersion | undefined {
  return versions.findLast((known) => known.version <= version);
}

/** A version: a number that is no date. After a digit, the next one belongs to it: 3-5 is 3.5. */
const VERSION = /^([a-z]*?)v?(\d{1,2}(?:\.\d{1,2})?)$/;

function readName(name: string): NamedWord[] {
  const words: NamedWord[] = [];
  const parts = plainModelName(name)
    .replace(/\bgpt(?=4o)/, "gpt-")
    .replace(/(?<=-\d)-(?=\d(?:-|$))/g, ".")
    .split("-");
  let version: number | undefined;
  for (const part of parts.toReversed()) {
    const [, word, number] = VERSION.exec(part) ?? [undefined, part, undefined];
    if (number !== undefined && !number.startsWith("0")) version = Number(number);
    if (word !== undefined && word !== "") words.unshift({ word, version });
  }
  return words;
}

/** The strength of a model with this score. Below it, scores fall faster than the chance to satisfy. */
const MIDDLE_SCORE = 50;
const MIDDLE_STRENGTH = 1.85;
const STRENGTH_BELOW = 1.35;
const STRENGTH_ABOVE = 0.75;

/** Chosen so that the strengths agree with those of the models that have outcomes. */
function strengthOfScore(score: number): number {
  const distance = Math.log(score / (100 - score)) - Math.log(MIDDLE_SCORE / (100 - MIDDLE_SCORE));
  return MIDDLE_STRENGTH + distance * (distance < 0 ? STRENGTH_BELOW : STRENGTH_ABOVE);
}
