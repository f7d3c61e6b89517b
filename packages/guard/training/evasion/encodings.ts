import { bytesAsDigits, replaceLetters } from "./letter-forms.ts";
import type { Transformation } from "./transformation.ts";

const MORSE =
  ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..".split(
    " ",
  );
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The same letters by other letters, signs or numbers. */
export const ENCODINGS: readonly Transformation[] = [
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
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => BASE32.charAt(Number.parseInt(five.padEnd(5, "0"), 2)))
    .join("");
}
