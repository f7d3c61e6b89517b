import { letterIndex } from "./letter-model.ts";
import type { DecodedSpan } from "./piece.ts";
import type { EncodingScan } from "./survey.ts";
import { isKnownWord, segmentWords } from "./word-segmentation.ts";

/** Marks of emphasis and tags inside a word: nobody writes a word so who wants it to be read as two. */
const MARKUP =
  /(?<=[a-z])(?:\*{1,3}|_{2}|~~|`|<\/?(?:b|i|em|strong|u|s|span|font|sup|sub|mark|small|wbr|code)(?:\s[^<>]{0,80})?\/?>|\{\}|\[\]|\(\)|""|''|\\)+(?=[a-z])/gi;
const HAS_MARKUP = /[*~`<\\]|__|\{\}|\[\]|\(\)|""|''/;
/** Other marks between letters: an address or a compound is written like that too, so the word must be known. */
const NON_WORD_MARKS = /[^A-Za-z0-9\s<>@]+/g;
/** What people join on purpose. */
const PREFIXED = /^[a-z]{1,3}-[a-z]{3,}$/i;
/** Numbers, addresses and tags are no words that were cut. */
const UNSPLIT = /[0-9@<>]/;
const COMPOUND = /^[a-z]{3,}(?:[-/][a-z]{3,})+$/i;
/** Pieces of a text with a plus between them, as programs write. */
const JOINED_STRINGS =
  /["'`][^"'`\n]{0,200}["'`](?:\s{0,3}(?:\+|\.{1,2}|&|\|\||~)\s{0,3}["'`][^"'`\n]{0,200}["'`])+/g;
const STRING_JOINT = /["'`]\s{0,3}(?:\+|\.{1,2}|&|\|\||~)\s{0,3}["'`]/g;
const COMMENT = /(?<=[a-z])<!--[^<>]{0,80}-->(?=[a-z])/gi;
const TOKEN_MAX = 256;
const LETTERS = /^[a-z]+$/;

/** Words that were cut into pieces: by marks of emphasis, tags, stray marks, or as pieces of a program's text. */
export function findSplitWords(text: string, encodingScan: EncodingScan): DecodedSpan[] {
  return [
    ...findJoinedStrings(text, encodingScan),
    ...findCommentsInWords(text),
    ...findCutWords(text, encodingScan),
  ];
}

function findJoinedStrings(text: string, { asciiCounts: marks }: EncodingScan): DecodedSpan[] {
  const quotes = (marks[34] ?? 0) + (marks[39] ?? 0) + (marks[96] ?? 0);
  const joints =
    (marks[43] ?? 0) + (marks[46] ?? 0) + (marks[38] ?? 0) + (marks[124] ?? 0) + (marks[126] ?? 0);
  if (quotes < 4 || joints === 0 || text.search(STRING_JOINT) === -1) return [];
  return Array.from(text.matchAll(JOINED_STRINGS), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: match[0].slice(1, -1).replace(STRING_JOINT, ""),
    undone: "joined-strings",
  }));
}

function findCommentsInWords(text: string): DecodedSpan[] {
  if (!text.includes("<!--")) return [];
  return Array.from(text.matchAll(COMMENT), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: "",
    undone: "split-words",
  }));
}

/** Of how many words it must be sure until others that were cut alike are taken for cut, too. */
const SURE_MIN = 2;

function findCutWords(text: string, { splitTokens: cutTokens }: EncodingScan): DecodedSpan[] {
  const sure: DecodedSpan[] = [];
  const likely: DecodedSpan[] = [];
  for (const { start, end } of cutTokens) {
    if (end - start > TOKEN_MAX) continue;
    const token = text.slice(start, end);
    const stripped = HAS_MARKUP.test(token) ? token.replace(MARKUP, "") : token;
    const { whole, isSure } = rejoinWord(stripped);
    if (whole === token) continue;
    (isSure || stripped !== token ? sure : likely).push({ start, end, text: whole, undone: "split-words" });
  }
  return sure.length >= SURE_MIN && sure.length >= likely.length ? [...sure, ...likely] : sure;
}

/** A token as one word, and whether there is no doubt that it is one. */
function rejoinWord(token: string): { whole: string; isSure: boolean } {
  let start = 0;
  let end = token.length;
  while (start < end && letterIndex(token.charCodeAt(start)) === 0) start += 1;
  while (end > start && letterIndex(token.charCodeAt(end - 1)) === 0) end -= 1;
  const core = token.slice(start, end);
  if (UNSPLIT.test(core)) return { whole: token, isSure: false };
  const head = token.slice(0, start);
  const tail = token.slice(end);
  const bare = core.replace(NON_WORD_MARKS, "");
  const word = bare.toLowerCase();
  if (bare === core || word.length < 4 || !LETTERS.test(word)) return { whole: token, isSure: false };
  const parts = core.toLowerCase().split(/[^a-z]+/);
  const known = parts.filter((part) => part.length > 2 && isKnownWord(part)).length;
  const isOrdinary = COMPOUND.test(core) ? known === parts.length : PREFIXED.test(core) && known > 0;
  if (isOrdinary) return { whole: token, isSure: false };
  // Several words with a mark after every other letter.
  if (parts.length > 3 && known === 0 && parts.every((part) => part.length < 4))
    return { whole: head + segmentWords(word).join(" ") + tail, isSure: true };
  return { whole: head + bare + tail, isSure: known < parts.length && isKnownWord(word) };
}
