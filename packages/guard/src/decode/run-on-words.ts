import { measureFluency } from "./letter-model.ts";
import type { DecodedSpan } from "./piece.ts";
import type { EncodingScan } from "./survey.ts";
import { isKnownWord, mostCommonWord, segmentWords } from "./word-segmentation.ts";

const KNOWN_SHARE = 0.85;
const LONG_RUN_MAX = 4096;
const RUN_ON_LETTERS_PER_WORD_MIN = 2.5;
const SHORTER_WORD = /[a-z]{8,14}/gi;
const WORD_MAX = 64;
const CAPITAL_INSIDE = /[a-z][A-Z]/;
const CODE_SIGN = /[.(){}[\]<>:#$%&@*\\|~^]/;
const NAME_WORDS_MAX = 4;
const REPEATED_GROUPS_MAX = 4;
const REPEATED_LETTER = /([a-z])\1{2,}/g;

/** Words written without spaces between them, and words with letters drawn out: each in its place. */
export function findRunOnWords(text: string, { longWords, stretchedWords }: EncodingScan): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  for (const { start, end } of longWords) addIfRunOn(found, text, start, end);
  // Where some spaces were left out, shorter words are looked at, too.
  if (found.length > 0)
    for (const match of text.matchAll(SHORTER_WORD))
      addIfRunOn(found, text, match.index, match.index + match[0].length);
  for (const { start, end } of stretchedWords) {
    if (end - start > WORD_MAX || isPartOfToken(text, start, end)) continue;
    const read = collapseRepeatedLetters(text.slice(start, end).toLowerCase());
    if (read !== undefined) found.push({ start, end, text: read, undone: "stretched-words" });
  }
  return found;
}

function addIfRunOn(found: DecodedSpan[], text: string, start: number, end: number): void {
  if (end - start > LONG_RUN_MAX || isPartOfToken(text, start, end)) return;
  const written = text.slice(start, end);
  const word = written.toLowerCase();
  // Programs name things by a few words without spaces, with capitals in them or in a line of signs.
  const isName =
    CAPITAL_INSIDE.test(written) ||
    CODE_SIGN.test(text.charAt(start - 1) + text.charAt(end).replace(".", ""));
  if (isKnownWord(word)) return;
  const words = segmentWords(word);
  const known = words.filter(isKnownWord).join("").length;
  if (
    words.length > (isName ? NAME_WORDS_MAX : 2) &&
    known >= word.length * KNOWN_SHARE &&
    words.length * RUN_ON_LETTERS_PER_WORD_MIN <= word.length
  )
    found.push({ start, end, text: words.join(" "), undone: "run-on-words" });
}

/** A letter that stands many times stands for one or for two; every combination is tried. */
function collapseRepeatedLetters(word: string): string | undefined {
  const groups = word.match(REPEATED_LETTER)?.length ?? 0;
  const candidates: string[] = [];
  for (let chosen = 0; chosen < 1 << Math.min(groups, REPEATED_GROUPS_MAX); chosen += 1) {
    let group = 0;
    candidates.push(
      word.replace(REPEATED_LETTER, (_, letter: string) => {
        const double = (chosen >> group) & 1;
        group += 1;
        return double === 1 ? letter + letter : letter;
      }),
    );
  }
  const [single = ""] = candidates;
  // "AAA" is a grade or a battery.
  if (single.length === 1 && word.length < 4) return undefined;
  return (
    mostCommonWord(candidates) ??
    (single.length > 2 && measureFluency(single).fluency > 0 ? single : undefined)
  );
}

/** Whether letters are only a part of something longer, as in a blob. */
function isPartOfToken(text: string, start: number, end: number): boolean {
  return /[\w+/=]/.test(text.charAt(start - 1)) || /[\w+/=]/.test(text.charAt(end));
}
