import type { TextRange } from "../text-range.ts";
import { type FluencyStats, letterIndex, measureFluency, measureLetters } from "./fluency.ts";
import type { DecodedSpan, EncodingScan } from "./scan-for-encodings.ts";
import { isKnownWord } from "./word-segmentation.ts";

/** How much more fluent than the source a decoded text must be, and how fluent in itself. */
const FLUENCY_GAIN = 0.5;
const FLUENCY_MIN = 0.75;
const COMMON_MIN = 0.1;
/** Text this fluent needs fewer common words such as "the" and "and". */
const FLUENT = 0.95;
const COMMON_LEAST = 0.05;
const LETTERS_MIN = 12;
/** Ciphers are tried on a sample first. */
const SAMPLE_CHARACTERS = 400;
const SPANS_TRIED_MAX = 16;
const NEIGHBOURS_MAX = 6;
/** The longest readable text inside an unreadable span. */
const READABLE_GAP_MAX = 24;
const TOKEN_REACH = 24;
const WORD_BEFORE = /\S+\s{1,3}$/;
const WORD_AFTER = /^\s{1,3}\S+/;

/** A way in which the letters of a span may have been changed. */
interface LetterCipher {
  readonly undone: string;
  readonly undo: (text: string) => string;
  /** The same for the letters of a text as indexes, which says how fluent the result is. */
  readonly undoLetters: (text: string, letters: Uint8Array, undone: Uint8Array) => void;
}

const REVERSED: LetterCipher = {
  undone: "reversed",
  undo: reversed,
  undoLetters: (text, letters, undone) => reverseLetters(letters, undone, 0, text.length),
};
const REVERSED_WORDS: LetterCipher = {
  undone: "reversed-words",
  undo: (text) => text.replace(/[^\s]+/g, reversed),
  undoLetters(text, letters, undone) {
    let start = 0;
    for (let at = 0; at <= text.length; at += 1) {
      if (at < text.length && !isWhiteSpace(text, at)) continue;
      reverseLetters(letters, undone, start, at);
      undone[at] = 0;
      start = at + 1;
    }
  },
};
const ATBASH = substitution("atbash", (letter) => 27 - letter);
/** By shift. */
const CAESAR: readonly LetterCipher[] = Array.from({ length: 26 }, (_, shift) =>
  substitution(shift === 13 ? "rot13" : "caesar", (letter) => ((letter - 1 + 26 - shift) % 26) + 1),
);

function substitution(undone: string, change: (letter: number) => number): LetterCipher {
  const changed = Uint8Array.from({ length: 27 }, (_, letter) => (letter === 0 ? 0 : change(letter)));
  return {
    undone,
    undo: (text) => mapLetters(text, changed),
    undoLetters(text, letters, result) {
      for (let at = 0; at < text.length; at += 1) result[at] = changed[letters[at] ?? 0] ?? 0;
    },
  };
}

function reverseLetters(letters: Uint8Array, undone: Uint8Array, start: number, end: number): void {
  for (let at = start; at < end; at += 1) undone[start + end - 1 - at] = letters[at] ?? 0;
}

function isWhiteSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 ? code === 32 || (code >= 9 && code <= 13) : /\s/.test(text.charAt(at));
}

/** Finds unreadable spans that become readable when reversed or when all letters are shifted by the same amount. */
export function findLetterCiphers(text: string, { unreadableSpans }: EncodingScan): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  let read = 0;
  for (const range of unreadableSpans.slice(0, SPANS_TRIED_MAX)) {
    if (range.start < read) continue;
    const decodedSpan = decodeSpan(text, expandToTokens(text, range), unreadableSpans, read);
    if (decodedSpan === undefined) continue;
    found.push(decodedSpan);
    read = decodedSpan.end;
  }
  return found;
}

function decodeSpan(
  text: string,
  range: TextRange,
  unreadable: readonly TextRange[],
  from: number,
): DecodedSpan | undefined {
  const letterCipher = bestCipherFor(text, range);
  if (letterCipher === undefined) return undefined;
  // Some words of it may be readable by chance, so wider ranges are tried: the whole text, then the line.
  const line = { start: text.lastIndexOf("\n", range.start) + 1, end: endOfLine(text, range.end) };
  const wider = [{ start: 0, end: text.length }, line].find(
    (each) =>
      each.start >= from &&
      isUnreadableThroughout(each, unreadable) &&
      isSameCipher(bestCipherFor(text, each), letterCipher),
  );
  const { start, end } = wider ?? expandToNeighbours(text, range, letterCipher, from);
  // The whole span shows best in which of the two ways it was reversed.
  const { undo, undone } = bestCipherFor(text, { start, end }) ?? letterCipher;
  return { start, end, text: undo(text.slice(start, end)), undone };
}

/**
 * Whether at most a few words are readable, so that no plain text is decoded into nonsense because of its surroundings.
 */
function isUnreadableThroughout({ start, end }: TextRange, unreadable: readonly TextRange[]): boolean {
  let read = start;
  for (const range of unreadable) {
    if (range.end <= start || range.start >= end) continue;
    if (range.start - read > READABLE_GAP_MAX) return false;
    read = range.end;
  }
  return end - read <= READABLE_GAP_MAX;
}

function isSameCipher(one: LetterCipher | undefined, other: LetterCipher): boolean {
  return one?.undone === other.undone || (isReversal(one) && isReversal(other));
}

function isReversal(letterCipher: LetterCipher | undefined): boolean {
  return letterCipher === REVERSED || letterCipher === REVERSED_WORDS;
}

function bestCipherFor(text: string, { start, end }: TextRange): LetterCipher | undefined {
  const written = text.slice(start, end);
  const source = measureFluency(written.slice(0, SAMPLE_CHARACTERS));
  if (source.letters < LETTERS_MIN) return undefined;
  const lastPart = written.length > SAMPLE_CHARACTERS ? written.slice(-SAMPLE_CHARACTERS) : "";
  const best = bestCipherOf(written, source);
  // The end of the span must match the same cipher.
  if (best === undefined || lastPart === "") return best;
  return measureFluency(best.undo(lastPart)).fluency > measureFluency(lastPart).fluency + FLUENCY_GAIN
    ? best
    : undefined;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

/** Extends a span by the neighbouring words that also decode to known words. */
function expandToNeighbours(text: string, range: TextRange, { undo }: LetterCipher, from: number): TextRange {
  let { start, end } = range;
  for (let steps = 0; steps < NEIGHBOURS_MAX; steps += 1) {
    const word = WORD_BEFORE.exec(text.slice(Math.max(from, start - TOKEN_REACH), start))?.[0];
    if (word === undefined || !becomesWord(word, undo)) break;
    start -= word.length;
  }
  for (let steps = 0; steps < NEIGHBOURS_MAX; steps += 1) {
    const word = WORD_AFTER.exec(text.slice(end, end + TOKEN_REACH))?.[0];
    if (word === undefined || !becomesWord(word, undo)) break;
    end += word.length;
  }
  return { start, end };
}

function becomesWord(word: string, undo: (text: string) => string): boolean {
  const bare = word.replace(/[^A-Za-z]+/g, "").toLowerCase();
  return isKnownWord(undo(bare)) && !isKnownWord(bare);
}

const sampleLetters = new Uint8Array(SAMPLE_CHARACTERS);
const undoneLetters = new Uint8Array(SAMPLE_CHARACTERS + 1);

function bestCipherOf(written: string, source: FluencyStats): LetterCipher | undefined {
  const sample = written.slice(0, SAMPLE_CHARACTERS);
  for (let at = 0; at < sample.length; at += 1) sampleLetters[at] = letterIndex(sample.charCodeAt(at));
  let best: LetterCipher | undefined;
  let bestFluency = source.fluency + FLUENCY_GAIN;
  for (const letterCipher of likelyCiphers(sample.length)) {
    letterCipher.undoLetters(sample, sampleLetters, undoneLetters);
    const { fluency, commonShare } = measureLetters(undoneLetters, sample.length);
    const isWords = commonShare >= COMMON_MIN || (fluency >= FLUENT && commonShare >= COMMON_LEAST);
    if (!isWords || fluency < FLUENCY_MIN || commonShare < source.commonShare) continue;
    // Both ways of reversing give the same words; only the order differs.
    if (fluency > bestFluency || (fluency === bestFluency && best === REVERSED && isInOrder(sample))) {
      best = letterCipher;
      bestFluency = fluency;
    }
  }
  return best;
}

/** Word pairs that occur in this order only. */
const ORDERED_WORD_PAIRS =
  /\b(?:of|in|to|on|for|from|with|all|and) (?:the|your|my|a)\b|\b(?:all|your) previous\b|\bprevious \w+ions\b|\bsystem prompt\b|\b(?:ignore|disregard) (?:all|the|your)\b|\b(?:tell|give|show) me\b|\b(?:you|they|we) are\b|\b(?:it|this|that) is\b|\b(?:how|want|have|need) to\b/gi;

/** Whether each word was reversed by itself rather than the whole text: then the words are in natural order. */
function isInOrder(written: string): boolean {
  const byWord = REVERSED_WORDS.undo(written);
  const inOrder = byWord.match(ORDERED_WORD_PAIRS)?.length ?? 0;
  const turned = reversed(written).match(ORDERED_WORD_PAIRS)?.length ?? 0;
  if (inOrder !== turned) return inOrder > turned;
  return /^[A-Z]|[.!?]$/.test(byWord.trim());
}

const letterCounts = new Float64Array(27);
const shiftScores = new Float64Array(26);

/** The three shifts whose letter frequencies are closest to English, always 13, and the other ciphers. */
function likelyCiphers(size: number): LetterCipher[] {
  letterCounts.fill(0);
  for (let at = 0; at < size; at += 1) {
    const letter = sampleLetters[at] ?? 0;
    letterCounts[letter] = (letterCounts[letter] ?? 0) + 1;
  }
  for (let shift = 1; shift < 26; shift += 1) {
    let score = 0;
    for (let letter = 1; letter <= 26; letter += 1)
      score += (letterCounts[((letter - 1 + shift) % 26) + 1] ?? 0) * (LETTER_FREQUENCY[letter] ?? 0);
    shiftScores[shift] = score;
  }
  const ciphers: LetterCipher[] = [];
  for (let count = 0; count < 3; count += 1) {
    let likeliest = 1;
    for (let shift = 2; shift < 26; shift += 1)
      if ((shiftScores[shift] ?? 0) > (shiftScores[likeliest] ?? 0)) likeliest = shift;
    shiftScores[likeliest] = Number.NEGATIVE_INFINITY;
    addCaesar(ciphers, likeliest);
  }
  addCaesar(ciphers, 13);
  ciphers.push(ATBASH, REVERSED, REVERSED_WORDS);
  return ciphers;
}

function addCaesar(ciphers: LetterCipher[], shift: number): void {
  const cipher = CAESAR[shift];
  if (cipher !== undefined && !ciphers.includes(cipher)) ciphers.push(cipher);
}

/** The frequency of each letter in English: the base-two logarithm of its share per thousand. */
const LETTER_FREQUENCY = new Float64Array(27);
for (const [at, perMille] of [
  82, 15, 28, 43, 127, 22, 20, 61, 70, 2, 8, 40, 24, 67, 75, 19, 1, 60, 63, 91, 28, 10, 24, 2, 20, 1,
].entries())
  LETTER_FREQUENCY[at + 1] = Math.log2(perMille);

function mapLetters(text: string, changed: Uint8Array): string {
  const codes = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const letter = letterIndex(code);
    codes[at] = letter === 0 ? code : code - letter + (changed[letter] ?? 0);
  }
  return codesToText(codes);
}

function reversed(text: string): string {
  const codes = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) codes[text.length - 1 - at] = text.charCodeAt(at);
  return codesToText(codes);
}

function codesToText(codes: Uint16Array): string {
  return Buffer.from(codes.buffer, codes.byteOffset, codes.byteLength).toString("utf16le");
}

/** The span extended by the punctuation attached to its words. */
function expandToTokens(text: string, { start, end }: TextRange): TextRange {
  let from = start;
  let to = end;
  while (from > start - TOKEN_REACH && from > 0 && text.charCodeAt(from - 1) > 32) from -= 1;
  while (to < end + TOKEN_REACH && to < text.length && text.charCodeAt(to) > 32) to += 1;
  return { start: from, end: to };
}
