import { splitSentences } from "../split-sentences.ts";

/** Characters that are read like others, and that taking off accents does not give. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "–": " - ",
  "—": " - ",
  "…": "...",
  "•": ", ",
  ß: "ss",
  æ: "ae",
  Æ: "Ae",
  œ: "oe",
  ø: "o",
  Ø: "O",
  ł: "l",
  Ł: "L",
  "€": " euros ",
  "£": " pounds ",
  "¥": " yen ",
  "°": " degrees ",
  "×": " times ",
};

/** Where more of the letters than this are not Latin, hardly anything of the text would be heard. */
const NON_LATIN_SHARE_MAX = 0.3;
/** The engine takes a sentence whole, and twice the sentence takes it more than twice the time. */
const SENTENCE_CHARACTERS_MAX = 240;
const WORD_CHARACTERS_MAX = 30;

/** A text as an English voice can read it, with an empty line after each sentence; undefined where it can't. */
export function toSpeakableText(text: string): string | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const foreign = letters - (text.match(/\p{Script=Latin}/gu)?.length ?? 0);
  if (foreign > letters * NON_LATIN_SHARE_MAX) return undefined;
  const plain = text
    .replace(/[^\p{ASCII}]/gu, (character) => REPLACEMENTS[character] ?? character)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\n\x20-\x7e]+/g, " ");
  if (!/[A-Za-z0-9]/.test(plain)) return undefined;
  return splitSentences(plain).flatMap(splitLongSentence).join("\n\n");
}

/** Cuts a long sentence between words, and long words anywhere. */
function splitLongSentence(sentence: string): readonly string[] {
  const words = sentence
    .split(" ")
    .flatMap((word) => word.match(new RegExp(`.{1,${WORD_CHARACTERS_MAX}}`, "g")) ?? []);
  const breaths: string[] = [];
  let breath = "";
  for (const word of words) {
    if (breath !== "" && breath.length + word.length >= SENTENCE_CHARACTERS_MAX) {
      breaths.push(breath);
      breath = "";
    }
    breath = breath === "" ? word : `${breath} ${word}`;
  }
  return [...breaths, breath];
}
