/** What a character folds to, and the name of the disguise if it was one. */
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
/** Some single characters stand for whole sentences. They are not folded, so that a text cannot grow without bound. */
const EXPANSION_MAX = 4;
/** The maximum number of times a fold is folded again. Two suffice for all of Unicode. */
const FOLD_ROUNDS_MAX = 3;

/** Folds a character: lower case, no accents, compatibility form. Folding is idempotent. */
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
  if (alike !== undefined) return { text: alike, disguise: isLanguageLetter(point) ? undefined : "look-alikes" };
  const code = point.codePointAt(0) ?? 0;
  if (isInRanges(INVISIBLE, code)) return { text: "", disguise: "zero-width" };
  if (isInRanges(BIDI, code)) return { text: "", disguise: "bidi-controls" };
  if (isInRanges(COMBINING, code)) return { text: "", disguise: "combining-marks" };
  if (isInRanges(SELECTORS, code)) return { text: "", disguise: undefined };
  const special = foldLetterBlock(code);
  if (special !== undefined) return special;
  if (/^\s$/.test(point)) return { text: " ", disguise: undefined };

  const compatible = point.normalize("NFKC");
  // Accents are dropped, so that one pattern matches "précédentes" and "precedentes".
  const bare = point.normalize("NFKD").replace(ACCENTS, "");
  if (DIGIT.test(bare)) return { text: digitOf(bare), disguise: undefined };
  if (!ASCII_ONLY.test(bare)) return { text: compatible, disguise: undefined };
  const disguised = compatible !== point && /[A-Za-z0-9]/.test(bare);
  return { text: bare, disguise: disguised ? "compatibility-forms" : undefined };
}

/** Folds blocks of consecutive letters. */
function foldLetterBlock(code: number): CharacterFold | undefined {
  // Tag characters spell ASCII that is invisible on screen but read by models, so they are decoded.
  if (code >= 0xe0020 && code <= 0xe007e)
    return { text: String.fromCharCode(code - 0xe0000), disguise: "tag-characters" };
  if (code >= 0xe0000 && code <= 0xe007f) return { text: "", disguise: "tag-characters" };
  // Flag letters, and white letters on circles and squares.
  for (const first of [0x1f1e6, 0x1f150, 0x1f170]) {
    if (code >= first && code < first + 26)
      return { text: String.fromCharCode(97 + code - first), disguise: "emoji-letters" };
  }
  return undefined;
}

/** In every script the ten digits are consecutive, starting with zero. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (code - first < 9 && DIGIT.test(String.fromCodePoint(first - 1)) && !isZeroDigit(first)) first -= 1;
  return String((code - first) % 10);
}

function isZeroDigit(code: number): boolean {
  // A block of digits begins at a multiple of 16 or six after it. Only mathematical digits do not, and those are
  // compatibility forms.
  return code % 16 === 0 || code % 16 === 6;
}

type Ranges = readonly (readonly [first: number, last: number])[];

/** Parses hex codes and ranges with a hyphen. */
function rangesOf(written: string): Ranges {
  return written.split(" ").map((range) => {
    const [first = "", last = first] = range.split("-");
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
  });
}

function isInRanges(ranges: Ranges, code: number): boolean {
  return ranges.some(([first, last]) => code >= first && code <= last);
}

/** Letters that look like Latin ones but have no compatibility form: small capitals and the like. */
const LOOK_ALIKES = invertCharacterTable({
  a: "ᴀɑⱥ⍺ꬰ",
  b: "ʙƀɓ",
  c: "ᴄƈȼꞓ",
  d: "ᴅɗɖᴆ",
  e: "ᴇɛɇꬲ",
  f: "ꜰƒꬵ",
  g: "ɢɡǥɠ",
  h: "ʜɦħ",
  i: "ɪıɩɨ⍳ꙇ",
  j: "ᴊɉȷ",
  k: "ᴋƙĸ",
  l: "ʟłƚɫɭ",
  m: "ᴍɱ",
  n: "ɴƞɲɳŋ",
  o: "ᴏøɵ",
  p: "ᴘƥ⍴",
  q: "ꞯɋ",
  r: "ʀɍɽ",
  s: "ꜱʂ",
  t: "ᴛŧƭʈ",
  u: "ᴜʉʋ",
  v: "ᴠ",
  w: "ᴡ⍵",
  x: "ⅹ",
  y: "ʏɏƴ",
  z: "ᴢƶȥ",
  "!": "ǃ",
});

/** Letters with a stroke that some languages use: folded like accents, and not a disguise. */
const LANGUAGE_LETTERS = invertCharacterTable({ d: "đ", h: "ħ", l: "ł", o: "ø", t: "ŧ", i: "ı", n: "ŋ" });

/** The Latin letter that a character looks like. */
function latinLookAlike(point: string): string | undefined {
  return LOOK_ALIKES.get(point) ?? LOOK_ALIKES.get(point.toLowerCase());
}

/** Whether a look-alike is an ordinary letter of a language in Latin script. */
function isLanguageLetter(point: string): boolean {
  return LANGUAGE_LETTERS.has(point.toLowerCase());
}

/** Maps each character of the values to its key. */
export function invertCharacterTable(writtenAs: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(writtenAs).flatMap(([letter, others]) =>
      [...others].map((other): [string, string] => [other, letter]),
    ),
  );
}

/**
 * Lower-case letters of other scripts that can pass for Latin ones. Some only do so as capitals (В for B), but words
 * are lower-cased before this table is used.
 */
const CONFUSABLES = invertCharacterTable({
  a: "аαӑӓꭺ",
  b: "вβьꮟᏼ",
  c: "сϲꮯ",
  d: "ԁꭰꮷ",
  e: "еεёӗєꭼ",
  f: "ϝ",
  g: "ԍցᏻꮐ",
  h: "һнհꮋꮒ",
  i: "іιїίւꭵ",
  j: "јϳյꭻ",
  k: "кκқҝꮶ",
  l: "ӏꮮ",
  m: "мμꮇ",
  n: "ηпոռ",
  o: "оοσօө",
  p: "рρքꮲ",
  q: "ԛզ",
  r: "гᴦꭱꮢ",
  s: "ѕꮥꮪ",
  t: "тτեꭲ",
  u: "υսц",
  v: "νѵꮩ",
  w: "ԝωшաꮃꮤ",
  x: "хχҳ",
  y: "уγүყꭹў",
  z: "ζзꮓ",
});

/** Letters that are indistinguishable from Latin ones. */
const IDENTICAL_LETTERS = new Set("асԁеһіјорѕхуѵԛԝӏονϳ");

const FOREIGN_CLASS = "\\u0370-\\u052f\\u0531-\\u0587\\u10d0-\\u10ff\\u13a0-\\u13ff\\u1d26\\uab70-\\uabbf";
/** A word mixes scripts where a Latin letter is next to one of another script. */
const MIXED = new RegExp(`[a-z][${FOREIGN_CLASS}]|[${FOREIGN_CLASS}][a-z]`);
const WORD = new RegExp(`[a-z${FOREIGN_CLASS}]+`, "g");
const FOREIGN_WORD = new RegExp(`[${FOREIGN_CLASS}]+`, "g");
const FOREIGN = new RegExp(`[${FOREIGN_CLASS}]`, "g");

/**
 * Rewrites words that mix scripts in Latin letters, and, in a mostly Latin text, words made of confusables only. Other
 * words are simply Greek or Russian and stay. One letter is replaced by one letter, so offsets do not change.
 */
export function latiniseConfusables(text: string): string {
  if (text.search(FOREIGN) === -1) return text;
  const mixed = MIXED.test(text);
  const unmixed = mixed
    ? text.replace(WORD, (word) => (MIXED.test(word) ? word.replace(FOREIGN, latinConfusable) : word))
    : text;
  if (!isMostlyLatin(unmixed)) return unmixed;
  // A text with mixed words probably disguises whole words too.
  const passes = mixed ? isAllConfusables : isAllIdenticalLetters;
  return unmixed.replace(FOREIGN_WORD, (word) => (passes(word) ? word.replace(FOREIGN, latinConfusable) : word));
}

function latinConfusable(letter: string): string {
  return CONFUSABLES.get(letter) ?? letter;
}

function isAllIdenticalLetters(word: string): boolean {
  for (const letter of word) if (!IDENTICAL_LETTERS.has(letter)) return false;
  return true;
}

function isAllConfusables(word: string): boolean {
  for (const letter of word) if (!CONFUSABLES.has(letter)) return false;
  return true;
}

function isMostlyLatin(text: string): boolean {
  let latin = 0;
  let foreign = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 97 && code <= 122) latin += 1;
    else if (code >= 0x370 && isForeign(code)) foreign += 1;
  }
  return latin > foreign;
}

function isForeign(code: number): boolean {
  return code <= 0x587 || (code >= 0x10d0 && code <= 0x13ff) || (code >= 0xab70 && code <= 0xabbf);
}
