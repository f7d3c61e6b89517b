import { isLanguageLetter, latinLookAlike } from "./look-alikes.ts";

/** What one character becomes, and the name of the disguise if it was one. */
export interface CharacterFold {
  readonly text: string;
  readonly disguise: string | undefined;
}

const INVISIBLE = rangesOf(
  "ad 34f 115f-1160 17b4-17b5 180b-180f 200b-200d 2060-2065 206a-206f 3164 feff ffa0 fff9-fffb",
);
const BIDI = rangesOf("61c 200e-200f 202a-202e 2066-2069");
const SELECTORS = rangesOf("fe00-fe0f e0100-e01ef");
const COMBINING = rangesOf("300-36f 483-489 1ab0-1aff 1dc0-1dff 20d0-20f0 fe20-fe2f");
const ACCENTS = /[\u0300-\u036f]/g;
const ASCII_ONLY = /^[ -~]*$/;
const DIGIT = /^\p{Nd}$/u;
const PLAIN_PUNCTUATION: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "´": "'",
  "“": '"',
  "”": '"',
  "·": ".",
  "•": ".",
  "‐": "-",
  "‑": "-",
  "–": "-",
  "—": "-",
  "−": "-",
  "\u0085": "\n",
  "\u2028": "\n",
  "\u2029": "\n",
  İ: "i",
};
/** Some single characters stand for whole sentences; nobody hides in them, and a text must not grow without bound. */
const EXPANSION_MAX = 4;
/** As many times as a fold of a fold is looked at. Two suffice for every character there is. */
const FOLD_ROUNDS_MAX = 3;

/** What one character is read as: in lower case, without accents, in its compatible form. A fold's fold is itself. */
export function foldCharacter(point: string): CharacterFold {
  let { text, disguise } = foldCharacterOnce(point);
  for (let round = 1; round < FOLD_ROUNDS_MAX; round += 1) {
    let again = "";
    for (const each of text) again += foldCharacterOnce(each.toLowerCase()).text;
    if (again === text || again === text.toLowerCase()) break;
    text = again;
  }
  if (text.length > EXPANSION_MAX) return { text: point, disguise: undefined };
  if (text === point) disguise = undefined;
  return { text, disguise };
}

function foldCharacterOnce(point: string): CharacterFold {
  const plain = PLAIN_PUNCTUATION[point];
  if (plain !== undefined) return { text: plain, disguise: undefined };
  const alike = latinLookAlike(point);
  if (alike !== undefined)
    return { text: alike, disguise: isLanguageLetter(point) ? undefined : "look-alikes" };
  const code = point.codePointAt(0) ?? 0;
  if (isInRanges(INVISIBLE, code)) return { text: "", disguise: "zero-width" };
  if (isInRanges(BIDI, code)) return { text: "", disguise: "bidi-controls" };
  if (isInRanges(COMBINING, code)) return { text: "", disguise: "combining-marks" };
  if (isInRanges(SELECTORS, code)) return { text: "", disguise: undefined };
  const special = foldLetterBlock(code);
  if (special !== undefined) return special;
  if (/^\s$/.test(point)) return { text: " ", disguise: undefined };

  const compatible = point.normalize("NFKC");
  // Accents go too: one spelling of a pattern then reads "précédentes" and "precedentes".
  const bare = point.normalize("NFKD").replace(ACCENTS, "");
  if (DIGIT.test(bare)) return { text: digitOf(bare), disguise: undefined };
  if (!ASCII_ONLY.test(bare)) return { text: compatible, disguise: undefined };
  const disguised = compatible !== point && /[A-Za-z0-9]/.test(bare);
  return { text: bare, disguise: disguised ? "compatibility-forms" : undefined };
}

/** Blocks of letters in a row. */
function foldLetterBlock(code: number): CharacterFold | undefined {
  // Tag characters spell ASCII that no screen shows but every model reads, so they are read here too.
  if (code >= 0xe0020 && code <= 0xe007e)
    return { text: String.fromCharCode(code - 0xe0000), disguise: "tag-characters" };
  if (code >= 0xe0000 && code <= 0xe007f) return { text: "", disguise: "tag-characters" };
  // Letters of flags, and white letters on circles and squares.
  for (const first of [0x1f1e6, 0x1f150, 0x1f170]) {
    if (code >= first && code < first + 26)
      return { text: String.fromCharCode(97 + code - first), disguise: "emoji-letters" };
  }
  return undefined;
}

/** Digits of all scripts stand in tens, from nought to nine. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (code - first < 9 && DIGIT.test(String.fromCodePoint(first - 1)) && !isZeroDigit(first)) first -= 1;
  return String((code - first) % 10);
}

function isZeroDigit(code: number): boolean {
  // A block of digits begins at a round number or six after it; only the mathematical ones, which are compatible forms, do not.
  return code % 16 === 0 || code % 16 === 6;
}

type Ranges = readonly (readonly [first: number, last: number])[];

/** Written in hex, with a hyphen between the ends of a range. */
function rangesOf(written: string): Ranges {
  return written.split(" ").map((range) => {
    const [first = "", last = first] = range.split("-");
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
  });
}

function isInRanges(ranges: Ranges, code: number): boolean {
  return ranges.some(([first, last]) => code >= first && code <= last);
}
