import { measureFluency } from "./fluency.ts";
import type { DecodedSpan, EncodingScan } from "./scan-for-encodings.ts";
import { invertCharacterTable } from "./unicode-folding.ts";
import { isKnownWord, mostCommonWord, segmentWords } from "./word-segmentation.ts";

const MORSE_LETTERS =
  ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..".split(
    " ",
  );
const MORSE: ReadonlyMap<string, string> = new Map([
  ...MORSE_LETTERS.map((signs, at): [string, string] => [signs, String.fromCharCode(97 + at)]),
  ...["-----", ".----", "..---", "...--", "....-", ".....", "-....", "--...", "---..", "----."].map(
    (signs, digit): [string, string] => [signs, String(digit)],
  ),
  [".-.-.-", "."],
  ["--..--", ","],
  ["..--..", "?"],
  [".----.", "'"],
  ["-.-.--", "!"],
  ["---...", ":"],
  ["-....-", "-"],
  ["-..-.", "/"],
  [".-..-.", '"'],
]);
const MORSE_RUN = /[._-]{1,7}(?:[ \t\r\n/|]{1,6}[._-]{1,7}){4,}/g;

/** Decodes Morse code. Slashes or wide gaps separate words. */
export function findMorse(text: string, { dotRuns }: EncodingScan): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  for (const run of dotRuns) {
    for (const match of text.slice(run.start, run.end).matchAll(MORSE_RUN)) {
      const read = decodeMorse(match[0].replaceAll("_", "-"));
      const start = run.start + match.index;
      if (read !== undefined) found.push({ start, end: start + match[0].length, text: read, undone: "morse" });
    }
  }
  return found;
}

function decodeMorse(run: string): string | undefined {
  const words = run.split(/\s*[/|]\s*|\s{2,}|\n/).map((word) => word.split(/\s/));
  let unknown = 0;
  let signs = 0;
  const read = words.map((letters) =>
    letters
      .map((letter) => {
        signs += 1;
        const known = MORSE.get(letter);
        if (known === undefined) unknown += 1;
        return known ?? "";
      })
      .join(""),
  );
  if (unknown > signs * 0.1) return undefined;
  const text = words.length > 1 || signs < 8 ? read.join(" ") : segmentWords(read.join("")).join(" ");
  return measureFluency(text).fluency > 0.3 ? text : undefined;
}

/** The braille letters from a to z. */
const BRAILLE = new Map(
  [..."⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵"].map((sign, at): [string, string] => [sign, String.fromCharCode(97 + at)]),
);
for (const [sign, mark] of [
  ["⠀", " "],
  ["⠲", "."],
  ["⠂", ","],
  ["⠦", "?"],
  ["⠖", "!"],
  ["⠄", "'"],
  ["⠒", ":"],
  ["⠤", "-"],
  ["⠠", ""],
] as const)
  BRAILLE.set(sign, mark);
const BRAILLE_RUN = /[\u2800-\u28ff](?:[\u2800-\u28ff\s.,?!'":;-]*[\u2800-\u28ff])?/g;

/** Decodes braille. Braille dots are also used to draw pictures; those do not decode to fluent text. */
export function findBraille(text: string): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  for (const match of text.matchAll(BRAILLE_RUN)) {
    const read = Array.from(match[0], (sign) => BRAILLE.get(sign) ?? sign).join("");
    const { letters, fluency } = measureFluency(read);
    if (letters >= match[0].length * 0.6 && letters > 3 && fluency > 0.3)
      found.push({ start: match.index, end: match.index + match[0].length, text: read, undone: "braille" });
  }
  return found;
}

const RADIO_ALPHABET: ReadonlyMap<string, string> = new Map(
  "alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey whisky xray x-ray yankee zulu"
    .split(" ")
    .map((word): [string, string] => [word, word.charAt(0)]),
);
const RADIO_NAMES = [...RADIO_ALPHABET.keys()].join("|");
const RADIO_RUN = new RegExp(`\\b(?:${RADIO_NAMES})\\b(?:[\\s,.;/-]{1,4}\\b(?:${RADIO_NAMES})\\b){3,}`, "gi");

export function mayBeRadioSpelling({ radioAlphabetWords }: EncodingScan): boolean {
  return radioAlphabetWords >= 2;
}

/** Decodes words spelt with the radio alphabet: "india golf november". */
export function findRadioSpelling(text: string, encodingScan: EncodingScan): DecodedSpan[] {
  if (!mayBeRadioSpelling(encodingScan)) return [];
  return Array.from(text.matchAll(RADIO_RUN), (match) => {
    const words = match[0].toLowerCase().split(/\s*[./;\n]\s*|\s{2,}/);
    const read = words.map((word) =>
      word.replace(/[a-z]+(?:-ray)?/g, (name) => RADIO_ALPHABET.get(name) ?? name).replace(/[^a-z]+/g, ""),
    );
    const text = words.length > 1 ? read.join(" ") : segmentWords(read.join("")).join(" ");
    return { start: match.index, end: match.index + match[0].length, text, undone: "radio-alphabet" };
  });
}

const PIG_LATIN_WORD = /[a-z]+(?:'[a-z]+)?/gi;
const SHORT_PIG_LATIN_WORDS: Readonly<Record<string, string>> = { away: "a", anyway: "any", iway: "i" };
const PIG_LATIN_KNOWN_SHARE = 0.4;
const PIG_LATIN_WORDS_MIN = 3;

export function mayBePigLatin({ wordsEndingInAy, words }: EncodingScan): boolean {
  return wordsEndingInAy >= PIG_LATIN_WORDS_MIN && wordsEndingInAy >= words * 0.1;
}

/** Decodes Pig Latin: the first consonants moved to the end, followed by "ay". */
export function findPigLatin(text: string, encodingScan: EncodingScan): DecodedSpan[] {
  if (!mayBePigLatin(encodingScan)) return [];
  const found: DecodedSpan[] = [];
  let tried = 0;
  let known = 0;
  for (const match of text.matchAll(PIG_LATIN_WORD)) {
    const word = match[0].toLowerCase();
    // Known words are left alone, except those that short words turn into.
    const small = SHORT_PIG_LATIN_WORDS[word];
    if (word.length < 3 || !word.endsWith("ay") || (isKnownWord(word) && small === undefined)) continue;
    tried += 1;
    const read = small ?? undoPigLatin(word.slice(0, -2));
    if (isKnownWord(read)) known += 1;
    found.push({ start: match.index, end: match.index + word.length, text: read, undone: "pig-latin" });
  }
  return tried >= PIG_LATIN_WORDS_MIN && known >= tried * PIG_LATIN_KNOWN_SHARE ? found : [];
}

function undoPigLatin(stem: string): string {
  const candidates: string[] = [];
  for (let moved = 1; moved <= 4 && moved < stem.length; moved += 1)
    candidates.push(stem.slice(-moved) + stem.slice(0, -moved));
  if (/[wy]$/.test(stem)) candidates.push(stem.slice(0, -1));
  return (
    mostCommonWord(candidates) ??
    mostCommonWord([stem]) ??
    candidates.reduce(
      (best, each) => (measureFluency(each).fluency > measureFluency(best).fluency ? each : best),
      candidates[0] ?? stem,
    )
  );
}

/** Upside-down and mirrored letters. */
const FLIPPED_LETTERS = invertCharacterTable({
  a: "ɐɒ",
  b: "",
  c: "ɔↄ",
  d: "",
  e: "ǝɘə",
  f: "ɟꟻ",
  g: "ƃᵷϱǫ",
  h: "ɥ",
  i: "ᴉı",
  j: "ɾ",
  k: "ʞ",
  l: "ꞁ",
  m: "ɯ",
  n: "ᴎ",
  p: "",
  r: "ɹɿ",
  s: "ƨ",
  t: "ʇ",
  u: "",
  v: "ʌ",
  w: "ʍ",
  y: "ʎ",
  "?": "¿",
  "!": "¡",
});
/** Letters that become other letters when upside down. */
const UPSIDE_DOWN_SWAPS: Readonly<Record<string, string>> = {
  b: "q",
  q: "b",
  d: "p",
  p: "d",
  n: "u",
  u: "n",
};
const FLIPPED_LETTER = /[ɐɒɔↄǝɘəɟꟻƃᵷϱǫɥᴉɾʞꞁɯᴎɹɿƨʇʌʍʎ]/g;
const MIRRORED_ONLY = /[ɒɘꟻϱɿƨᴎↄ]/;
const FLIPPED_LETTERS_MIN = 3;
const FLUENCY_MIN = 0.4;

/** Decodes lines that are upside down or mirrored. */
export function findUpsideDownLetters(text: string): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    const read = decodeLine(line);
    if (read !== undefined) found.push({ start, end: start + line.length, text: read, undone: "turned-letters" });
    start += line.length + 1;
  }
  return found;
}

function decodeLine(line: string): string | undefined {
  if ((line.match(FLIPPED_LETTER)?.length ?? 0) < FLIPPED_LETTERS_MIN) return undefined;
  const upsideDown = !MIRRORED_ONLY.test(line);
  const letters = Array.from(line.toLowerCase(), (letter) => FLIPPED_LETTERS.get(letter) ?? letter);
  const plain = letters.join("");
  const flipped = Array.from(
    line.toLowerCase(),
    (letter) => FLIPPED_LETTERS.get(letter) ?? (upsideDown ? UPSIDE_DOWN_SWAPS[letter] : undefined) ?? letter,
  )
    .reverse()
    .join("");
  const better = measureFluency(flipped).fluency > measureFluency(plain).fluency ? flipped : plain;
  return measureFluency(better).fluency > FLUENCY_MIN ? better : undefined;
}
