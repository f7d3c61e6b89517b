import { letterOf } from "./letter-model.ts";
import type { Piece } from "./piece.ts";
import type { Survey } from "./survey.ts";
import { isKnownWord, parted } from "./word-segmentation.ts";

/** Marks of emphasis and tags inside a word: nobody writes a word so who wants it to be read as two. */
const MARKUP =
  /(?<=[a-z])(?:\*{1,3}|_{2}|~~|`|<\/?(?:b|i|em|strong|u|s|span|font|sup|sub|mark|small|wbr|code)(?:\s[^<>]{0,80})?\/?>|\{\}|\[\]|\(\)|""|''|\\)+(?=[a-z])/gi;
const INSIDE = /[*~`<\\]|__|\{\}|\[\]|\(\)|""|''/;
/** Other marks between letters: an address or a compound is written like that too, so the word must be known. */
const WEAK = /[^A-Za-z0-9\s<>@]+/g;
/** What people join on purpose. */
const PREFIXED = /^[a-z]{1,3}-[a-z]{3,}$/i;
/** Numbers, addresses and tags are no words that were cut. */
const UNSPLIT = /[0-9@<>]/;
const COMPOUND = /^[a-z]{3,}(?:[-/][a-z]{3,})+$/i;
/** Pieces of a text with a plus between them, as programs write. */
const JOINED =
  /["'`][^"'`\n]{0,200}["'`](?:\s{0,3}(?:\+|\.{1,2}|&|\|\||~)\s{0,3}["'`][^"'`\n]{0,200}["'`])+/g;
const JOINT = /["'`]\s{0,3}(?:\+|\.{1,2}|&|\|\||~)\s{0,3}["'`]/g;
const COMMENT = /(?<=[a-z])<!--[^<>]{0,80}-->(?=[a-z])/gi;
const TOKEN_MAX = 256;
const LETTERS = /^[a-z]+$/;

/** Words that were cut into pieces: by marks of emphasis, tags, stray marks, or as pieces of a program's text. */
export function findSplitWords(text: string, survey: Survey): Piece[] {
  return [...joinedStrings(text, survey), ...commentsInWords(text), ...cutWords(text, survey)];
}

function joinedStrings(text: string, { marks }: Survey): Piece[] {
  const quotes = (marks[34] ?? 0) + (marks[39] ?? 0) + (marks[96] ?? 0);
  const joints =
    (marks[43] ?? 0) + (marks[46] ?? 0) + (marks[38] ?? 0) + (marks[124] ?? 0) + (marks[126] ?? 0);
  if (quotes < 4 || joints === 0 || text.search(JOINT) === -1) return [];
  return Array.from(text.matchAll(JOINED), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: match[0].slice(1, -1).replace(JOINT, ""),
    undone: "joined-strings",
  }));
}

function commentsInWords(text: string): Piece[] {
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

function cutWords(text: string, { cutTokens }: Survey): Piece[] {
  const sure: Piece[] = [];
  const likely: Piece[] = [];
  for (const { start, end } of cutTokens) {
    if (end - start > TOKEN_MAX) continue;
    const token = text.slice(start, end);
    const stripped = INSIDE.test(token) ? token.replace(MARKUP, "") : token;
    const { whole, isSure } = wholeWord(stripped);
    if (whole === token) continue;
    (isSure || stripped !== token ? sure : likely).push({ start, end, text: whole, undone: "split-words" });
  }
  return sure.length >= SURE_MIN && sure.length >= likely.length ? [...sure, ...likely] : sure;
}

/** A token as one word, and whether there is no doubt that it is one. */
function wholeWord(token: string): { whole: string; isSure: boolean } {
  let start = 0;
  let end = token.length;
  while (start < end && letterOf(token.charCodeAt(start)) === 0) start += 1;
  while (end > start && letterOf(token.charCodeAt(end - 1)) === 0) end -= 1;
  const core = token.slice(start, end);
  if (UNSPLIT.test(core)) return { whole: token, isSure: false };
  const head = token.slice(0, start);
  const tail = token.slice(end);
  const bare = core.replace(WEAK, "");
  const word = bare.toLowerCase();
  if (bare === core || word.length < 4 || !LETTERS.test(word)) return { whole: token, isSure: false };
  const parts = core.toLowerCase().split(/[^a-z]+/);
  const known = parts.filter((part) => part.length > 2 && isKnownWord(part)).length;
  const isOrdinary = COMPOUND.test(core) ? known === parts.length : PREFIXED.test(core) && known > 0;
  if (isOrdinary) return { whole: token, isSure: false };
  // Several words with a mark after every other letter.
  if (parts.length > 3 && known === 0 && parts.every((part) => part.length < 4))
    return { whole: head + parted(word).join(" ") + tail, isSure: true };
  return { whole: head + bare + tail, isSure: known < parts.length && isKnownWord(word) };
}
