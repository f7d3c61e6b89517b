import { letterOf, type Reading, readingOf } from "./letter-model.ts";
import type { Piece } from "./piece.ts";
import type { Stretch, Survey } from "./survey.ts";
import { isKnownWord } from "./word-segmentation.ts";

/** How much better a reading must be than what stands there, and how good in itself. */
const FLUENCY_GAIN = 0.5;
const FLUENCY_MIN = 0.75;
const COMMON_MIN = 0.1;
/** Where a reading is this fluent, a short text may do without "the" and "and". */
const FLUENT = 0.95;
const COMMON_LEAST = 0.05;
const LETTERS_MIN = 12;
/** What is tried is tried on a sample first. */
const SAMPLE_CHARACTERS = 400;
const STRETCHES_MAX = 16;
const NEIGHBOURS_MAX = 6;
/** What may read well in the middle of what does not. */
const PLAIN_MAX = 24;
const TOKEN_REACH = 24;
const WORD_BEFORE = /\S+\s{1,3}$/;
const WORD_AFTER = /^\s{1,3}\S+/;

/** One way in which the letters of a stretch may have been changed. */
interface Candidate {
  readonly undone: string;
  readonly undo: (text: string) => string;
}

const REVERSED: Candidate = { undone: "reversed", undo: reversed };
const REVERSED_WORDS: Candidate = {
  undone: "reversed-words",
  undo: (text) => text.replace(/[^\s]+/g, reversed),
};
const ATBASH: Candidate = { undone: "atbash", undo: (text) => mapLetters(text, (letter) => 27 - letter) };

/** Stretches that read like nothing as they stand and like words when reversed, or with every letter shifted by the same. */
export function findShifted(text: string, { oddStretches }: Survey): Piece[] {
  const found: Piece[] = [];
  let read = 0;
  for (const stretch of oddStretches.slice(0, STRETCHES_MAX)) {
    if (stretch.start < read) continue;
    const piece = readStretch(text, wholeTokens(text, stretch), oddStretches, read);
    if (piece === undefined) continue;
    found.push(piece);
    read = piece.end;
  }
  return found;
}

function readStretch(
  text: string,
  stretch: Stretch,
  odd: readonly Stretch[],
  from: number,
): Piece | undefined {
  const candidate = bestFor(text, stretch);
  if (candidate === undefined) return undefined;
  // A short word or two of it may have read like words by chance, so more is tried: everything, then the line.
  const line = { start: text.lastIndexOf("\n", stretch.start) + 1, end: endOfLine(text, stretch.end) };
  const wider = [{ start: 0, end: text.length }, line].find(
    (each) => each.start >= from && isOddAllAlong(each, odd) && isAlike(bestFor(text, each), candidate),
  );
  const { start, end } = wider ?? withNeighbours(text, stretch, candidate, from);
  // Which of the two ways to reverse it was shows best in all of it.
  const { undo, undone } = bestFor(text, { start, end }) ?? candidate;
  return { start, end, text: undo(text.slice(start, end)), undone };
}

/** Whether no more than a few words read well: nobody gets plain words turned into nonsense by what stands around them. */
function isOddAllAlong({ start, end }: Stretch, odd: readonly Stretch[]): boolean {
  let read = start;
  for (const stretch of odd) {
    if (stretch.end <= start || stretch.start >= end) continue;
    if (stretch.start - read > PLAIN_MAX) return false;
    read = stretch.end;
  }
  return end - read <= PLAIN_MAX;
}

function isAlike(one: Candidate | undefined, other: Candidate): boolean {
  return one?.undone === other.undone || (isReversal(one) && isReversal(other));
}

function isReversal(candidate: Candidate | undefined): boolean {
  return candidate === REVERSED || candidate === REVERSED_WORDS;
}

function bestFor(text: string, { start, end }: Stretch): Candidate | undefined {
  const written = text.slice(start, end);
  const source = readingOf(written.slice(0, SAMPLE_CHARACTERS));
  if (source.letters < LETTERS_MIN) return undefined;
  const tail = written.length > SAMPLE_CHARACTERS ? written.slice(-SAMPLE_CHARACTERS) : "";
  const best = bestOf(written, source);
  // What begins so must also end so.
  if (best === undefined || tail === "") return best;
  return readingOf(best.undo(tail)).fluency > readingOf(tail).fluency + FLUENCY_GAIN ? best : undefined;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

/** The words beside a stretch that become words too. */
function withNeighbours(text: string, stretch: Stretch, { undo }: Candidate, from: number): Stretch {
  let { start, end } = stretch;
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

function bestOf(written: string, source: Reading): Candidate | undefined {
  const sample = written.slice(0, SAMPLE_CHARACTERS);
  const shifts = likelyShifts(sample).map(shiftedBack);
  let best: Candidate | undefined;
  let bestFluency = source.fluency + FLUENCY_GAIN;
  for (const candidate of [...shifts, ATBASH, REVERSED, REVERSED_WORDS]) {
    const reading = readingOf(candidate.undo(sample));
    const { fluency, commonShare } = reading;
    const isWords = commonShare >= COMMON_MIN || (fluency >= FLUENT && commonShare >= COMMON_LEAST);
    if (!isWords || fluency < FLUENCY_MIN || commonShare < source.commonShare) continue;
    // Reversing words keeps their letters together: the two ways to reverse differ in the order of the words alone.
    if (fluency > bestFluency || (fluency === bestFluency && best === REVERSED && isInOrder(sample))) {
      best = candidate;
      bestFluency = fluency;
    }
  }
  return best;
}

/** Word pairs of which the order is sure. */
const PAIRS =
  /\b(?:of|in|to|on|for|from|with|all|and) (?:the|your|my|a)\b|\b(?:all|your) previous\b|\bprevious \w+ions\b|\bsystem prompt\b|\b(?:ignore|disregard) (?:all|the|your)\b|\b(?:tell|give|show) me\b|\b(?:you|they|we) are\b|\b(?:it|this|that) is\b|\b(?:how|want|have|need) to\b/gi;

/** Whether it is the words that were reversed, each for itself, and not the whole: then they follow each other as words do. */
function isInOrder(written: string): boolean {
  const byWord = REVERSED_WORDS.undo(written);
  const inOrder = byWord.match(PAIRS)?.length ?? 0;
  const turned = reversed(written).match(PAIRS)?.length ?? 0;
  if (inOrder !== turned) return inOrder > turned;
  return /^[A-Z]|[.!?]$/.test(byWord.trim());
}

/** The two shifts under which the letters are as common as in English. Shift 13 is always among what is tried. */
function likelyShifts(sample: string): number[] {
  const counts = new Float64Array(27);
  for (let at = 0; at < sample.length; at += 1) {
    const letter = letterOf(sample.charCodeAt(at));
    counts[letter] = (counts[letter] ?? 0) + 1;
  }
  const scores: { shift: number; score: number }[] = [];
  for (let shift = 1; shift < 26; shift += 1) {
    let score = 0;
    for (let letter = 1; letter <= 26; letter += 1)
      score += (counts[((letter - 1 + shift) % 26) + 1] ?? 0) * (COMMONNESS[letter] ?? 0);
    scores.push({ shift, score });
  }
  scores.sort((a, b) => b.score - a.score);
  return [...new Set([...scores.slice(0, 3).map(({ shift }) => shift), 13])];
}

/** How common a letter is in English, in logarithms of base two of its share in a thousand. */
const COMMONNESS = new Float64Array(27);
for (const [at, perMille] of [
  82, 15, 28, 43, 127, 22, 20, 61, 70, 2, 8, 40, 24, 67, 75, 19, 1, 60, 63, 91, 28, 10, 24, 2, 20, 1,
].entries())
  COMMONNESS[at + 1] = Math.log2(perMille);

function shiftedBack(shift: number): Candidate {
  return {
    undone: shift === 13 ? "rot13" : "caesar",
    undo: (text) => mapLetters(text, (letter) => ((letter - 1 + 26 - shift) % 26) + 1),
  };
}

function mapLetters(text: string, change: (letter: number) => number): string {
  const codes = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const letter = letterOf(code);
    codes[at] = letter === 0 ? code : code - letter + change(letter);
  }
  return textOfCodes(codes);
}

function reversed(text: string): string {
  const codes = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) codes[text.length - 1 - at] = text.charCodeAt(at);
  return textOfCodes(codes);
}

function textOfCodes(codes: Uint16Array): string {
  return Buffer.from(codes.buffer, codes.byteOffset, codes.byteLength).toString("utf16le");
}

/** The stretch with what hangs on its words: full stops, quotes. */
function wholeTokens(text: string, { start, end }: Stretch): Stretch {
  let from = start;
  let to = end;
  while (from > start - TOKEN_REACH && from > 0 && text.charCodeAt(from - 1) > 32) from -= 1;
  while (to < end + TOKEN_REACH && to < text.length && text.charCodeAt(to) > 32) to += 1;
  return { start: from, end: to };
}
