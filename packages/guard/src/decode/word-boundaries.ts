import { isSpace } from "../stream-buffer.ts";
import type { TextRange } from "../text-range.ts";
import { letterIndex, measureFluency } from "./fluency.ts";
import type { DecodedSpan, EncodingScan } from "./scan-for-encodings.ts";
import { isKnownWord, mostCommonWord, segmentWords } from "./word-segmentation.ts";

const FLUENCY_MIN = 0.6;
const UNKNOWN_SHARE_MAX = 0.35;
const SPACED_LETTERS_PER_WORD_MIN = 2;
const SENTENCE_END = /[.,;:!?]/;
const UNKNOWN_LETTERS_MIN = 16;
const UNKNOWN_FLUENCY_MIN = 0.3;

/** Decodes words with separated letters: "i g n o r e", "i.g.n.o.r.e", or one letter per line. */
export function findSpacedOutLetters(text: string, { spacedRuns }: EncodingScan): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  for (const run of spacedRuns) {
    const usual = mostCommonGap(text, run.start, run.end);
    const read = decodeSpacedRun(text, run, usual);
    if (read === undefined) continue;
    // The punctuation at the end of the sentence is separated like the letters.
    const mark = text.startsWith(usual, run.end) ? text.charAt(run.end + usual.length) : "";
    const isEnd = SENTENCE_END.test(mark);
    found.push({
      start: run.start,
      end: isEnd ? run.end + usual.length + 1 : run.end,
      text: isEnd ? read + mark : read,
      undone: "spaced-letters",
    });
  }
  return found;
}

/** Wider gaps separate words; without them the words are found by segmentation. */
function decodeSpacedRun(text: string, { start, end }: TextRange, usual: string): string | undefined {
  let written = "";
  let words = "";
  let gap = "";
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (letterIndex(code) === 0) {
      gap += text.charAt(at);
      continue;
    }
    if (gap !== "" && gap !== usual) words += separatorForGap(gap, usual);
    gap = "";
    words += text.charAt(at);
    written += text.charAt(at);
  }
  const asParted = words.includes(" ") ? words : "";
  if (asParted !== "" && isMostlyKnownWords(asParted)) return asParted;
  const read = segmentWords(written);
  const unknown = read.filter((word) => !isKnownWord(word)).join("").length;
  const isRead =
    unknown <= written.length * UNKNOWN_SHARE_MAX && written.length >= read.length * SPACED_LETTERS_PER_WORD_MIN;
  if (isRead) return read.join(" ");
  if (asParted !== "") return textIfFluent(asParted);
  // Words of other languages cannot be segmented, but their fluency shows that they are words.
  return written.length >= UNKNOWN_LETTERS_MIN && measureFluency(written).fluency >= UNKNOWN_FLUENCY_MIN
    ? written
    : undefined;
}

function isMostlyKnownWords(text: string): boolean {
  const words = text.toLowerCase().split(" ");
  const known = words.filter((word) => isKnownWord(word.replace(/[^a-z]+/g, ""))).length;
  return known >= words.length / 2 && words.some((word) => word.length > 2);
}

function textIfFluent(text: string): string | undefined {
  const { fluency, letters, words } = measureFluency(text);
  return fluency >= FLUENCY_MIN && letters >= words * SPACED_LETTERS_PER_WORD_MIN ? text : undefined;
}

/** The most common gap between two letters. */
function mostCommonGap(text: string, start: number, end: number): string {
  const counts = new Map<string, number>();
  let best = "";
  for (let at = start; at < end; at += 1) {
    if (letterIndex(text.charCodeAt(at)) > 0) continue;
    const from = at;
    while (at + 1 < end && letterIndex(text.charCodeAt(at + 1)) === 0) at += 1;
    const gap = text.slice(from, at + 1);
    const count = (counts.get(gap) ?? 0) + 1;
    counts.set(gap, count);
    if (count > (counts.get(best) ?? 0)) best = gap;
  }
  return best;
}

/** An unusual gap becomes a space, preceded by the punctuation in it. */
function separatorForGap(gap: string, usual: string): string {
  const mark = /[.,;:!?]/.exec(gap)?.[0] ?? "";
  return usual.includes(mark) && usual.trim() !== "" ? " " : `${mark} `;
}

/** Emphasis and tags inside a word. They split the word for a pattern, not for a reader. */
const MARKUP =
  /(?<=[a-z])(?:\*{1,3}|_{2}|~~|`|<\/?(?:b|i|em|strong|u|s|span|font|sup|sub|mark|small|wbr|code)(?:\s[^<>]{0,80})?\/?>|\{\}|\[\]|\(\)|""|''|\\)+(?=[a-z])/gi;
const HAS_MARKUP = /[*~`<\\]|__|\{\}|\[\]|\(\)|""|''/;
/** Other characters between letters. Addresses and compounds contain them too, so the joined word must be known. */
const NON_WORD_MARKS = /[^A-Za-z0-9\s<>@]+/g;
/** Deliberate prefixes, as in "re-use". */
const PREFIXED = /^[a-z]{1,3}-[a-z]{3,}$/i;
const COMPOUND = /^[a-z]{3,}(?:[-/][a-z]{3,})+$/i;
/** String literals joined by an operator, as in program code. */
const JOINED_STRINGS = /["'`][^"'`\n]{0,200}["'`](?:\s{0,3}(?:\+|\.{1,2}|&|\|\||~)\s{0,3}["'`][^"'`\n]{0,200}["'`])+/g;
const STRING_JOINT = /["'`]\s{0,3}(?:\+|\.{1,2}|&|\|\||~)\s{0,3}["'`]/g;
const COMMENT_START = "<!--";
const COMMENT = /(?<=[a-z])<!--[^<>]{0,80}-->(?=[a-z])/gi;
const TOKEN_MAX = 256;
/** No split word has fewer letters. */
const LETTERS_MIN = 4;

/** Decodes words split by emphasis, tags, stray punctuation or string concatenation. */
export function findSplitWords(text: string, encodingScan: EncodingScan): DecodedSpan[] {
  return [...findJoinedStrings(text, encodingScan), ...findCommentsInWords(text), ...findCutWords(text, encodingScan)];
}

/** Whether words may be split without being a token. */
export function mayHoldSplitWords(text: string, encodingScan: EncodingScan): boolean {
  return mayJoinStrings(encodingScan) || ((encodingScan.asciiCounts[60] ?? 0) > 0 && text.includes(COMMENT_START));
}

function mayJoinStrings({ asciiCounts }: EncodingScan): boolean {
  const quotes = (asciiCounts[34] ?? 0) + (asciiCounts[39] ?? 0) + (asciiCounts[96] ?? 0);
  const joints =
    (asciiCounts[43] ?? 0) +
    (asciiCounts[46] ?? 0) +
    (asciiCounts[38] ?? 0) +
    (asciiCounts[124] ?? 0) +
    (asciiCounts[126] ?? 0);
  return quotes >= 4 && joints > 0;
}

function findJoinedStrings(text: string, encodingScan: EncodingScan): DecodedSpan[] {
  if (!mayJoinStrings(encodingScan) || text.search(STRING_JOINT) === -1) return [];
  return Array.from(text.matchAll(JOINED_STRINGS), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: match[0].slice(1, -1).replace(STRING_JOINT, ""),
    undone: "joined-strings",
  }));
}

function findCommentsInWords(text: string): DecodedSpan[] {
  if (!text.includes(COMMENT_START)) return [];
  return Array.from(text.matchAll(COMMENT), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: "",
    undone: "split-words",
  }));
}

/** The number of certain words after which similarly split words count as split too. */
const SURE_MIN = 2;

function findCutWords(text: string, { splitTokens }: EncodingScan): DecodedSpan[] {
  const sure: DecodedSpan[] = [];
  const likely: DecodedSpan[] = [];
  for (const { start, end } of splitTokens) {
    if (end - start > TOKEN_MAX) continue;
    const token = text.slice(start, end);
    const stripped = HAS_MARKUP.test(token) ? token.replace(MARKUP, "") : token;
    const rejoined = rejoinWord(stripped);
    const whole = rejoined?.whole ?? stripped;
    if (whole === token) continue;
    const isSure = rejoined?.isSure === true;
    (isSure || stripped !== token ? sure : likely).push({ start, end, text: whole, undone: "split-words" });
  }
  return sure.length >= SURE_MIN && sure.length >= likely.length ? [...sure, ...likely] : sure;
}

/** Joins a token to one word, and tells whether that is certain; undefined: it is not split. */
function rejoinWord(token: string): { whole: string; isSure: boolean } | undefined {
  let start = 0;
  let end = token.length;
  while (start < end && letterIndex(token.charCodeAt(start)) === 0) start += 1;
  while (end > start && letterIndex(token.charCodeAt(end - 1)) === 0) end -= 1;
  let letters = 0;
  for (let at = start; at < end; at += 1) {
    const code = token.charCodeAt(at);
    if (letterIndex(code) > 0) letters += 1;
    else if (isUnsplitCode(code)) return undefined;
  }
  if (letters === end - start || letters < LETTERS_MIN) return undefined;
  const core = token.slice(start, end);
  const bare = core.replace(NON_WORD_MARKS, "");
  const word = bare.toLowerCase();
  const parts = core.toLowerCase().split(/[^a-z]+/);
  let known = 0;
  for (const part of parts) if (part.length > 2 && isKnownWord(part)) known += 1;
  const isOrdinary = COMPOUND.test(core) ? known === parts.length : PREFIXED.test(core) && known > 0;
  if (isOrdinary) return undefined;
  const leading = token.slice(0, start);
  const trailing = token.slice(end);
  // Several words with punctuation between all letters.
  if (parts.length > 3 && known === 0 && parts.every((part) => part.length < 4))
    return { whole: leading + segmentWords(word).join(" ") + trailing, isSure: true };
  return { whole: leading + bare + trailing, isSure: known < parts.length && isKnownWord(word) };
}

/** Numbers, addresses, tags and several words are not split words. */
function isUnsplitCode(code: number): boolean {
  if (code >= 128) return /\s/.test(String.fromCharCode(code));
  return (code >= 48 && code <= 57) || code === 64 || code === 60 || code === 62 || isSpace(code);
}

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

/** Splits words written without spaces, and shortens words with repeated letters, each in place. */
export function findRunOnWords(text: string, { longWords, stretchedWords }: EncodingScan): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  for (const { start, end } of longWords) addIfRunOn(found, text, start, end);
  // If some spaces are missing, shorter words are tried too.
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
  // Identifiers in code join a few words, with capitals or next to symbols.
  const isName =
    CAPITAL_INSIDE.test(written) || CODE_SIGN.test(text.charAt(start - 1) + text.charAt(end).replace(".", ""));
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

/** A repeated letter stands for one or two; every combination is tried. */
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
  return mostCommonWord(candidates) ?? (single.length > 2 && measureFluency(single).fluency > 0 ? single : undefined);
}

/** Whether the letters are part of a longer token, such as a blob. */
function isPartOfToken(text: string, start: number, end: number): boolean {
  return /[\w+/=]/.test(text.charAt(start - 1)) || /[\w+/=]/.test(text.charAt(end));
}
