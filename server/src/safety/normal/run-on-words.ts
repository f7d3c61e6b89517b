import { isKnownWord, likeliestWord, parted } from "./known-words.ts";
import { readingOf } from "./letter-model.ts";
import type { Piece } from "./piece.ts";
import type { Survey } from "./survey.ts";

const KNOWN_SHARE = 0.85;
const LONG_RUN_MAX = 4096;
const WORD_MAX = 64;
const REPEATED = /([a-z])\1{2,}/g;

/** Words written without spaces between them, and words with letters drawn out: each in its place. */
export function findRunOnWords(text: string, { longWords, stretchedWords }: Survey): Piece[] {
  const found: Piece[] = [];
  for (const { start, end } of longWords) {
    if (end - start > LONG_RUN_MAX) continue;
    const word = text.slice(start, end).toLowerCase();
    if (isKnownWord(word)) continue;
    const words = parted(word);
    const known = words.filter(isKnownWord).join("").length;
    if (words.length > 2 && known >= word.length * KNOWN_SHARE && words.length * 2.5 <= word.length)
      found.push({ start, end, text: words.join(" "), undone: "run-on-words" });
  }
  for (const { start, end } of stretchedWords) {
    if (end - start > WORD_MAX || isInToken(text, start, end)) continue;
    const word = text.slice(start, end).toLowerCase();
    const single = word.replace(REPEATED, "$1");
    const read = likeliestWord([single, word.replace(REPEATED, "$1$1")]) ?? single;
    if (read.length > 1 && readingOf(read).fluency > 0)
      found.push({ start, end, text: read, undone: "stretched-words" });
  }
  return found;
}

/** Whether letters are only a part of something longer, as in a blob. */
function isInToken(text: string, start: number, end: number): boolean {
  return /[\w+/=]/.test(text.charAt(start - 1)) || /[\w+/=]/.test(text.charAt(end));
}
