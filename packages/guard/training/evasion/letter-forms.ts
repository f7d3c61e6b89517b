import type { Transformation } from "./transformation.ts";

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const SMALL_CAPITALS = [..."ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘqʀꜱᴛᴜᴠᴡxʏᴢ"];
const CYRILLIC: Readonly<Record<string, string>> = {
  a: "а",
  c: "с",
  e: "е",
  o: "о",
  p: "р",
  x: "х",
  y: "у",
  i: "і",
  s: "ѕ",
};
const GREEK: Readonly<Record<string, string>> = { a: "α", e: "ε", i: "ι", o: "ο", v: "ν", u: "υ", t: "τ" };
const ACCENTED: Readonly<Record<string, string>> = { a: "á", e: "ë", i: "ï", o: "ô", u: "ü", n: "ñ", c: "ç" };
const LEET: Readonly<Record<string, string>> = { a: "4", e: "3", i: "1", o: "0" };
const STRONG_LEET: Readonly<Record<string, string>> = { ...LEET, s: "5", t: "7", a: "@", b: "8", g: "9" };
const UPSIDE_DOWN = [..."ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz"];
const BRAILLE = [..."⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵"];
const SPACES = ["\u00a0", "\u2003", "\u2009", "\u3000", "\u202f"];

/** Other shapes of the same letters, and things put between them that nobody sees. */
export const LETTER_FORMS: readonly Transformation[] = [
  { name: "full-width letters", apply: (text) => mapCodes(text, 33, 126, (code) => code + 0xfee0) },
  { name: "mathematical bold", apply: (text) => toAlphabet(text, 0x1d400, 0x1d41a) },
  { name: "mathematical sans italic", apply: (text) => toAlphabet(text, 0x1d608, 0x1d622) },
  { name: "mathematical monospace", apply: (text) => toAlphabet(text, 0x1d670, 0x1d68a) },
  { name: "circled letters", apply: (text) => toAlphabet(text, 0x24b6, 0x24d0) },
  { name: "letters on dark squares", apply: (text) => toAlphabet(text, 0x1f170, 0x1f170) },
  {
    name: "letters of flags",
    apply: (text) => replaceLetters(text, (_, at) => `${String.fromCodePoint(0x1f1e6 + at)}\u200b`),
  },
  {
    name: "small capitals",
    apply: (text) => replaceLetters(text, (letter, at) => SMALL_CAPITALS[at] ?? letter),
  },
  {
    name: "Cyrillic look-alikes",
    apply: (text) => replaceLetters(text, (letter) => CYRILLIC[letter] ?? letter),
  },
  { name: "Greek look-alikes", apply: (text) => replaceLetters(text, (letter) => GREEK[letter] ?? letter) },
  { name: "accents", apply: (text) => replaceLetters(text, (letter) => ACCENTED[letter] ?? letter) },
  { name: "piles of marks", apply: (text) => insertBetweenLetters(text, "\u0315\u0348\u0321") },
  { name: "struck-out letters", apply: (text) => insertBetweenLetters(text, "\u0336") },
  { name: "zero-width spaces", apply: (text) => insertBetweenLetters(text, "\u200b") },
  { name: "zero-width joiners", apply: (text) => insertBetweenLetters(text, "\u200d") },
  { name: "word joiners", apply: (text) => insertBetweenLetters(text, "\u2060") },
  { name: "soft hyphens", apply: (text) => insertBetweenLetters(text, "\u00ad") },
  { name: "bidi marks", apply: (text) => insertBetweenLetters(text, "\u200e") },
  { name: "right-to-left override", apply: (text) => `\u202e${[...text].reverse().join("")}\u202c` },
  {
    name: "tag characters",
    apply: (text) =>
      `Hello! ${[...text].map((letter) => String.fromCodePoint(0xe0000 + codeOf(letter))).join("")}`,
  },
  {
    name: "variation selectors",
    apply: (text) => `\u{1f600}${[...Buffer.from(text)].map(selectorOf).join("")}`,
  },
  {
    name: "zero-width bits",
    apply: (text) =>
      `Hello${bytesAsDigits(text, 2, 8).join("").replaceAll("0", "\u200b").replaceAll("1", "\u200c")}`,
  },
  {
    name: "unusual spaces",
    apply: (text) => text.replaceAll(" ", (_, at: number) => SPACES[at % SPACES.length] ?? " "),
  },
  {
    name: "alternating case",
    apply: (text) =>
      [...text].map((letter, at) => (at % 2 ? letter.toUpperCase() : letter.toLowerCase())).join(""),
  },
  { name: "leetspeak", apply: (text) => replaceLetters(text, (letter) => LEET[letter] ?? letter) },
  {
    name: "strong leetspeak",
    apply: (text) => replaceLetters(text, (letter) => STRONG_LEET[letter] ?? letter),
  },
  {
    name: "upside-down letters",
    apply: (text) => [...replaceLetters(text, (letter, at) => UPSIDE_DOWN[at] ?? letter)].reverse().join(""),
  },
  { name: "braille", apply: (text) => replaceLetters(text, (letter, at) => BRAILLE[at] ?? letter) },
];

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function selectorOf(byte: number): string {
  return String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16);
}

/** The octets of a text as digits. */
export function bytesAsDigits(text: string, base: number, width: number): string[] {
  return [...Buffer.from(text)].map((byte) => byte.toString(base).padStart(width, "0"));
}

function mapCodes(text: string, first: number, last: number, change: (code: number) => number): string {
  return Array.from(text, (each) => {
    const code = codeOf(each);
    return code >= first && code <= last ? String.fromCodePoint(change(code)) : each;
  }).join("");
}

function toAlphabet(text: string, capitalA: number, smallA: number): string {
  const capitals = mapCodes(text, 65, 90, (code) => capitalA + code - 65);
  return mapCodes(capitals, 97, 122, (code) => smallA + code - 97);
}

/** Every letter, as a small one and with its place in the alphabet, replaced. */
export function replaceLetters(text: string, change: (letter: string, at: number) => string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    change(letter.toLowerCase(), LOWER.indexOf(letter.toLowerCase())),
  );
}

function insertBetweenLetters(text: string, mark: string): string {
  return text.replace(/[a-z](?=[a-z])/gi, (letter) => letter + mark);
}
