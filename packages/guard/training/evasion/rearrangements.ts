import { replaceLetters } from "./letter-forms.ts";
import type { Transformation } from "./transformation.ts";

const SEPARATORS = [" ", ".", "-", "_", "*"];
const RADIO =
  "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu".split(
    " ",
  );

/** The same letters in another order, or with something between them that everybody sees. */
export const REARRANGEMENTS: readonly Transformation[] = [
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
    apply: (text) =>
      mapWords(text, (word, at) => [...word].join(SEPARATORS[at % SEPARATORS.length])).join("  "),
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

/** Puts a mark into the middle of every word that is long enough to have one. */
function insertInsideWords(text: string, mark: string): string {
  return text.replace(/[a-z]{5,}/gi, (word) => {
    const middle = Math.floor(word.length / 2);
    return word.slice(0, middle) + mark + word.slice(middle);
  });
}
