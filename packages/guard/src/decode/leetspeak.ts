import { measureFluency } from "./fluency.ts";
import type { DecodedSpan, EncodingScan } from "./scan-for-encodings.ts";
import { isKnownWord } from "./word-segmentation.ts";

/** The letters that digits and symbols stand for. Ambiguous ones are tried both ways. */
const PRIMARY_LETTERS: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "2": "z",
  "3": "e",
  "4": "a",
  "5": "s",
  "6": "g",
  "7": "t",
  "8": "b",
  "9": "g",
  "@": "a",
  $: "s",
  "!": "i",
  "|": "i",
  "+": "t",
  "(": "c",
};
const ALTERNATIVE_LETTERS: Readonly<Record<string, string>> = {
  ...PRIMARY_LETTERS,
  "1": "l",
  "6": "b",
  "|": "l",
  "!": "l",
};
const SIGN = /[0-9@$!|+(]/g;
/** Punctuation around a word that is not part of it. */
const LEAD = /^["'[{<*_(]*/;
const TRAIL = /["'\]}>)*_.,;:?]+$|!+$/;
const SHAPE = /^[A-Za-z0-9@$!|+(]+(?:'[a-z]+)?$/;
const NUMBER_WITH_UNIT =
  /^(?:\d*1st|\d*2nd|\d*3rd|\d+th|[0-9.,]+(?:k|m|g|kg|mm|cm|km|mb|gb|kb|ms|px|am|pm|h|s|x|d|p|%)?)$/i;
const WORD_MAX = 32;
/** Shorter tokens are often numbers: they are decoded only among other leetspeak. */
const WORD_MIN = 3;
/** File names and versions look like leetspeak too, so a single word does not count. */
const WORDS_MIN = 2;
const KNOWN_SHARE = 0.5;
const SURE_WORDS = 4;
const ALL_SHARE = 0.3;
/** The maximum distance between neighbouring words. */
const NEARBY_CHARACTERS = 3;
const FLUENCY_MIN = 0.5;
const SHORT = /(?<=^|[\s"'(])[a-z0-9@$!|+]{1,5}(?=$|[\s.,;:!?"')])/gi;

/** Decodes words in which letters were replaced by similar digits and symbols. */
export function findLeetspeak(text: string, { leetTokens, asciiCounts }: EncodingScan): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  let known = 0;
  for (const { start, end } of leetTokens) {
    if (end - start > WORD_MAX || end - start < WORD_MIN) continue;
    const token = text.slice(start, end);
    const lead = LEAD.exec(token)?.[0].length ?? 0;
    const word = token.slice(lead).replace(TRAIL, "");
    if (word === "" || !SHAPE.test(word) || NUMBER_WITH_UNIT.test(word)) continue;
    const read = decodeWord(word.toLowerCase());
    if (read === word.toLowerCase()) continue;
    if (isKnownWord(read)) known += 1;
    found.push({ start: start + lead, end: start + lead + word.length, text: read, undone: "leetspeak" });
  }
  if (found.length < WORDS_MIN) return [];
  const tokens = (asciiCounts[32] ?? 0) + (asciiCounts[10] ?? 0) + 1;
  const isAllLeet = found.length >= SURE_WORDS && found.length >= tokens * ALL_SHARE;
  if (isAllLeet && (known >= found.length * KNOWN_SHARE || isFluent(found)))
    return withShortWords(text, found, text.length);
  return known >= found.length * KNOWN_SHARE ? withShortWords(text, found, NEARBY_CHARACTERS) : [];
}

/** In other languages no word is known, but the text is fluent. */
function isFluent(found: readonly DecodedSpan[]): boolean {
  return measureFluency(found.map((decodedSpan) => decodedSpan.text).join(" ")).fluency >= FLUENCY_MIN;
}

/** Adds short words within `near` characters of leetspeak: there "4" is a word and "1s" is no unit. */
function withShortWords(text: string, found: readonly DecodedSpan[], near: number): DecodedSpan[] {
  const all = [...found];
  const taken = new Set(found.map(({ start }) => start));
  let next = 0;
  for (const match of text.matchAll(SHORT)) {
    const word = match[0].toLowerCase();
    while (next < found.length && (found[next]?.start ?? 0) <= match.index) next += 1;
    const behind = match.index - (found[next - 1]?.end ?? Number.NEGATIVE_INFINITY);
    const ahead = (found[next]?.start ?? Number.POSITIVE_INFINITY) - match.index - word.length;
    if (Math.min(behind, ahead) > near) continue;
    const read = decodeWord(word);
    if (read === word || taken.has(match.index) || !isKnownWord(read)) continue;
    all.push({ start: match.index, end: match.index + word.length, text: read, undone: "leetspeak" });
  }
  return all;
}

function decodeWord(word: string): string {
  const first = word.replace(SIGN, (sign) => PRIMARY_LETTERS[sign] ?? sign);
  if (isKnownWord(first)) return first;
  const second = word.replace(SIGN, (sign) => ALTERNATIVE_LETTERS[sign] ?? sign);
  if (second === first) return first;
  if (isKnownWord(second)) return second;
  return measureFluency(second).fluency > measureFluency(first).fluency ? second : first;
}
