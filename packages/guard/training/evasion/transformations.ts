/** A deterministic way to disguise a text. */
interface Transformation {
  readonly name: string;
  readonly apply: (text: string) => string;
}

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

/** Other forms of the same letters, and invisible characters between them. */
const LETTER_FORMS: readonly Transformation[] = [
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
    apply: (text) => `Hello! ${[...text].map((letter) => String.fromCodePoint(0xe0000 + codeOf(letter))).join("")}`,
  },
  {
    name: "variation selectors",
    apply: (text) => `\u{1f600}${[...Buffer.from(text)].map(selectorOf).join("")}`,
  },
  {
    name: "zero-width bits",
    apply: (text) => `Hello${bytesAsDigits(text, 2, 8).join("").replaceAll("0", "\u200b").replaceAll("1", "\u200c")}`,
  },
  {
    name: "unusual spaces",
    apply: (text) => text.replaceAll(" ", (_, at: number) => SPACES[at % SPACES.length] ?? " "),
  },
  {
    name: "alternating case",
    apply: (text) => [...text].map((letter, at) => (at % 2 ? letter.toUpperCase() : letter.toLowerCase())).join(""),
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

/** The bytes of a text as digits. */
function bytesAsDigits(text: string, base: number, width: number): string[] {
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

/** Replaces every letter, given in lower case with its index in the alphabet. */
function replaceLetters(text: string, change: (letter: string, at: number) => string): string {
  return text.replace(/[a-z]/gi, (letter) => change(letter.toLowerCase(), LOWER.indexOf(letter.toLowerCase())));
}

function insertBetweenLetters(text: string, mark: string): string {
  return text.replace(/[a-z](?=[a-z])/gi, (letter) => letter + mark);
}

const SEPARATORS = [" ", ".", "-", "_", "*"];
const RADIO =
  "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu".split(
    " ",
  );

/** The same letters in another order, or with visible characters between them. */
const REARRANGEMENTS: readonly Transformation[] = [
  {
    name: "letters apart, words further",
    apply: (text) => mapWords(text, (word) => [...word].join(" ")).join("   "),
  },
  { name: "letters apart, all alike", apply: (text) => [...text.replaceAll(" ", "")].join(" ") },
  { name: "dots between letters", apply: (text) => mapWords(text, (word) => [...word].join(".")).join(" ") },
  {
    name: "hyphens between letters",
    apply: (text) => mapWords(text, (word) => [...word].join("-")).join(" "),
  },
  {
    name: "underscores between letters",
    apply: (text) => mapWords(text, (word) => [...word].join("_")).join(" "),
  },
  {
    name: "mixed marks between letters",
    apply: (text) => mapWords(text, (word, at) => [...word].join(SEPARATORS[at % SEPARATORS.length])).join("  "),
  },
  { name: "one letter a line", apply: (text) => mapWords(text, (word) => [...word].join("\n")).join("\n\n") },
  { name: "no spaces", apply: (text) => text.replaceAll(" ", "") },
  { name: "drawn-out letters", apply: (text) => text.replace(/[aeiou]/gi, (vowel) => vowel.repeat(4)) },
  { name: "reversed", apply: reversed },
  { name: "words reversed", apply: (text) => mapWords(text, reversed).join(" ") },
  { name: "words broken over lines", apply: (text) => insertInsideWords(text, "-\n") },
  { name: "bold inside words", apply: (text) => insertInsideWords(text, "**") },
  { name: "tags inside words", apply: (text) => insertInsideWords(text, "<b></b>") },
  { name: "comments inside words", apply: (text) => insertInsideWords(text, "<!-- x -->") },
  { name: "underscores inside words", apply: (text) => insertInsideWords(text, "_") },
  { name: "dots inside words", apply: (text) => insertInsideWords(text, ".") },
  { name: "backslashes inside words", apply: (text) => insertInsideWords(text, "\\") },
  { name: "pieces of a program's text", apply: (text) => `"${insertInsideWords(text, '" + "')}"` },
  {
    name: "Pig Latin",
    apply: (text) =>
      text.replace(/[a-z]+/gi, (word) => {
        const [, head = "", rest = ""] = /^([^aeiou]*)(.*)$/i.exec(word.toLowerCase()) ?? [];
        return head === "" ? `${rest}way` : `${rest}${head}ay`;
      }),
  },
  {
    name: "radio alphabet",
    apply: (text) =>
      mapWords(text, (word) =>
        replaceLetters(word, (_, at) => `${RADIO[at] ?? ""} `)
          .replace(/[^a-z ]+/g, "")
          .trim(),
      ).join(" / "),
  },
];

function mapWords(text: string, change: (word: string, at: number) => string): string[] {
  return text.split(" ").map(change);
}

function reversed(text: string): string {
  return [...text].reverse().join("");
}

/** Inserts a string in the middle of every word of five letters or more. */
function insertInsideWords(text: string, mark: string): string {
  return text.replace(/[a-z]{5,}/gi, (word) => {
    const middle = Math.floor(word.length / 2);
    return word.slice(0, middle) + mark + word.slice(middle);
  });
}

const MORSE =
  ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..".split(
    " ",
  );
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The same letters as other letters, symbols or numbers. */
const ENCODINGS: readonly Transformation[] = [
  { name: "rot13", apply: (text) => caesarShift(text, 13) },
  { name: "shift by three", apply: (text) => caesarShift(text, 3) },
  { name: "shift by nineteen", apply: (text) => caesarShift(text, 19) },
  {
    name: "rot13 in a sentence",
    apply: (text) => `Here is a short text from my notes: ${caesarShift(text, 13)}`,
  },
  {
    name: "reversed alphabet",
    apply: (text) => replaceLetters(text, (_, at) => String.fromCharCode(122 - at)),
  },
  { name: "base64", apply: base64 },
  { name: "base64 for addresses, without padding", apply: (text) => Buffer.from(text).toString("base64url") },
  { name: "base64 in lines", apply: (text) => base64(text).replace(/.{20}/g, "$&\n") },
  { name: "base64 in a sentence", apply: (text) => `Here is a short text from my notes: "${base64(text)}".` },
  { name: "base64 of wide characters", apply: (text) => Buffer.from(text, "utf16le").toString("base64") },
  { name: "base64 twice", apply: (text) => base64(base64(text)) },
  { name: "base64 of rot13", apply: (text) => base64(caesarShift(text, 13)) },
  { name: "base64 of hex", apply: (text) => base64(bytesAsDigits(text, 16, 2).join("")) },
  { name: "base32", apply: base32 },
  { name: "hex", apply: (text) => bytesAsDigits(text, 16, 2).join("") },
  { name: "hex octets", apply: (text) => bytesAsDigits(text, 16, 2).join(" ") },
  {
    name: "hex with backslashes",
    apply: (text) =>
      bytesAsDigits(text, 16, 2)
        .map((byte) => `\\x${byte}`)
        .join(""),
  },
  {
    name: "hex numbers",
    apply: (text) =>
      bytesAsDigits(text, 16, 2)
        .map((byte) => `0x${byte}`)
        .join(", "),
  },
  { name: "binary octets", apply: (text) => bytesAsDigits(text, 2, 8).join(" ") },
  { name: "binary without spaces", apply: (text) => bytesAsDigits(text, 2, 8).join("") },
  { name: "decimal codes", apply: (text) => bytesAsDigits(text, 10, 1).join(" ") },
  { name: "decimal codes with commas", apply: (text) => bytesAsDigits(text, 10, 1).join(",") },
  { name: "octal codes", apply: (text) => bytesAsDigits(text, 8, 3).join(" ") },
  {
    name: "octal escapes",
    apply: (text) =>
      bytesAsDigits(text, 8, 3)
        .map((byte) => `\\${byte}`)
        .join(""),
  },
  { name: "URL escapes", apply: percentEncode },
  { name: "URL escapes twice", apply: (text) => percentEncode(text).replaceAll("%", "%25") },
  { name: "URL escapes of vowels and spaces", apply: (text) => text.replace(/[aeiou ]/gi, percentEncode) },
  { name: "HTML entities", apply: (text) => [...text].map((each) => `&#${each.charCodeAt(0)};`).join("") },
  {
    name: "HTML entities in hex",
    apply: (text) => [...text].map((each) => `&#x${each.charCodeAt(0).toString(16)};`).join(""),
  },
  { name: "Unicode escapes", apply: (text) => [...text].map((each) => `\\u${hexCode(each)}`).join("") },
  { name: "Unicode numbers", apply: (text) => [...text].map((each) => `U+${hexCode(each)}`).join(" ") },
  {
    name: "quoted-printable",
    apply: (text) =>
      bytesAsDigits(text, 16, 2)
        .map((byte) => `=${byte.toUpperCase()}`)
        .join(""),
  },
  {
    name: "Morse",
    apply: (text) =>
      text
        .split(" ")
        .map((word) => replaceLetters(word.replace(/[^a-z]/gi, ""), (_, at) => `${MORSE[at] ?? ""} `).trim())
        .join(" / "),
  },
];

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function percentEncode(text: string): string {
  return bytesAsDigits(text, 16, 2)
    .map((byte) => `%${byte}`)
    .join("");
}

function hexCode(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, "0");
}

function caesarShift(text: string, by: number): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const first = letter <= "Z" ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - first + by) % 26) + first);
  });
}

function base32(text: string): string {
  const bits = bytesAsDigits(text, 2, 8).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32.charAt(Number.parseInt(five.padEnd(5, "0"), 2))).join("");
}

/** All transformations of the battery. */
export const TRANSFORMATIONS: readonly Transformation[] = [...LETTER_FORMS, ...REARRANGEMENTS, ...ENCODINGS];
