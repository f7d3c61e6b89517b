import { codesOf } from "../text-codes.ts";
import type { TextRange } from "../text-range.ts";
import { bigramScore, COMMON_WORDS, letterIndex, RADIO_ALPHABET_WORDS, reversePackedWord } from "./fluency.ts";

/** The result of one scan for possible encodings. Most texts have none of them. Overwritten by the next scan. */
export interface EncodingScan {
  /** The number of occurrences of each ASCII character that is not a letter. */
  readonly asciiCounts: Uint32Array;
  readonly letters: number;
  readonly words: number;
  /** Spans whose words are not natural: shifted, reversed, or no words at all. */
  readonly unreadableSpans: readonly TextRange[];
  /** Runs of single letters. */
  readonly spacedRuns: readonly TextRange[];
  /** Tokens that may be blobs. */
  readonly longTokens: readonly TextRange[];
  /** Where digits stand close together, and where dots and dashes do without letters between them. */
  readonly digitRuns: readonly TextRange[];
  readonly dotRuns: readonly TextRange[];
  /** Words with digits or symbols that could stand for letters, and words split by other characters. */
  readonly leetTokens: readonly TextRange[];
  readonly splitTokens: readonly TextRange[];
  /** Words longer than natural words, and words with a letter three times in a row. */
  readonly longWords: readonly TextRange[];
  readonly stretchedWords: readonly TextRange[];
  readonly wordsEndingInAy: number;
  readonly radioAlphabetWords: number;
  readonly isAscii: boolean;
  /** Whether white space other than single spaces and line breaks occurs, or a hyphen at the end of a line. */
  readonly hasUntidySpace: boolean;
}

/** A lower bigram score occurs in no language; the mean of a language is 1 or more. */
const UNREADABLE_BELOW = 0.6;
/** The sum at which a span is examined, and the drop that ends it. */
const UNREADABLE_PEAK = 7;
const UNREADABLE_DROP = 8;
const BACKWARDS_BONUS = 4;
const COMMON_BONUS = -3;
/** Fluent words are not tried in reverse. */
const BACKWARDS_FROM = -2;
const SPACED_LETTERS_MIN = 4;
/** The maximum number of separators between single letters. */
const SPACED_GAP_MAX = 4;
/** No blob is shorter, and none without padding. */
const PADDED_TOKEN = 12;
const LONG_TOKEN = 16;
const EQUALS = 61;
const HYPHEN = 45;
const LONG_WORD = 15;
/** A word's first letters, as many as the common words have at most. */
const PACKED_LETTERS = 5;
/** The maximum number of spans per kind: hidden text shows in fewer. */
const SPANS_MAX = 2048;

const NO_SPANS: readonly TextRange[] = [];
const APOSTROPHE = 39;
const LEET_CODES = new Uint8Array(128);
for (const sign of "0123456789@$") LEET_CODES[sign.charCodeAt(0)] = 1;
/** Symbols that often stand next to a word; only inside one do they stand for a letter. */
for (const sign of "!|+(") LEET_CODES[sign.charCodeAt(0)] = 2;
const DIGIT = 1;
const DOT = 2;
const RUN_CODES = new Uint8Array(128);
for (let digit = 48; digit < 58; digit += 1) RUN_CODES[digit] = DIGIT;
for (const sign of ".-_") RUN_CODES[sign.charCodeAt(0)] = DOT;
/** The maximum gap between the digits or dots of a run, and the minimum number of them. */
const RUN_GAP_MAX = 8;
const RUN_MIN = 10;

/** Collects spans. Allocates the list on the first. */
class SpanCollector {
  spans: TextRange[] | undefined;

  clear(): void {
    this.spans = undefined;
  }

  add(start: number, end: number): void {
    this.spans ??= [];
    const last = this.spans.at(-1);
    if (last?.start !== start && this.spans.length < SPANS_MAX) this.spans.push({ start, end });
  }
}

/** A run of characters that stand close together. */
class CharacterRun {
  readonly collector = new SpanCollector();
  #start = 0;
  #end = -RUN_GAP_MAX - 1;
  #count = 0;

  clear(): void {
    this.collector.clear();
    this.#end = -RUN_GAP_MAX - 1;
    this.#count = 0;
  }

  add(at: number, notBefore: number): void {
    if (at - this.#end > RUN_GAP_MAX || this.#end < notBefore) {
      this.close();
      this.#start = at;
    }
    this.#count += 1;
    this.#end = at;
  }

  close(): void {
    if (this.#count >= RUN_MIN) this.collector.add(this.#start, this.#end + 1);
    this.#count = 0;
  }
}

/** The current span of unnatural words. */
class UnreadableWords {
  readonly collector = new SpanCollector();
  #sum = 0;
  #peak = 0;
  #start = 0;
  #end = 0;

  clear(): void {
    this.collector.clear();
    this.#sum = 0;
    this.#peak = 0;
  }

  add(oddness: number, start: number, end: number): void {
    if (this.#sum === 0) {
      if (oddness <= 0) return;
      this.#start = start;
    }
    this.#sum += oddness;
    if (this.#sum > this.#peak) {
      this.#peak = this.#sum;
      this.#end = end;
    } else if (this.#sum <= 0 || this.#sum < this.#peak - UNREADABLE_DROP) this.close();
  }

  close(): void {
    if (this.#peak >= UNREADABLE_PEAK) this.collector.add(this.#start, this.#end);
    this.#sum = 0;
    this.#peak = 0;
  }
}

// A text is scanned at once, so that all scans share these.
const asciiCounts = new Uint32Array(128);
const unreadable = new UnreadableWords();
const digits = new CharacterRun();
const dots = new CharacterRun();
const spaced = new SpanCollector();
const longTokens = new SpanCollector();
const leet = new SpanCollector();
const cut = new SpanCollector();
const longWords = new SpanCollector();
const stretched = new SpanCollector();
const scan: { -readonly [Field in keyof EncodingScan]: EncodingScan[Field] } = {
  asciiCounts,
  letters: 0,
  words: 0,
  unreadableSpans: NO_SPANS,
  spacedRuns: NO_SPANS,
  longTokens: NO_SPANS,
  digitRuns: NO_SPANS,
  dotRuns: NO_SPANS,
  leetTokens: NO_SPANS,
  splitTokens: NO_SPANS,
  longWords: NO_SPANS,
  stretchedWords: NO_SPANS,
  wordsEndingInAy: 0,
  radioAlphabetWords: 0,
  isAscii: true,
  hasUntidySpace: false,
};
const collectors = [unreadable, digits, dots, spaced, longTokens, leet, cut, longWords, stretched];

/**
 * Scans a text once, with little work per character, and reports what is worth a closer look. `asciiOnly`: stops at the
 * first other character.
 */
export function scanForEncodings(text: string, asciiOnly = false): EncodingScan {
  const counts = asciiCounts;
  const codes = codesOf(text);
  const size = text.length;
  counts.fill(0);
  for (const collector of collectors) collector.clear();
  let letters = 0;
  let words = 0;
  let wordsEndingInAy = 0;
  let radioAlphabetWords = 0;

  let before = 0;
  let beforeThat = 0;
  let packed = 0;
  let sum = 0;
  let triple = false;
  let tokenStart = 0;
  let tokenIsLeet = false;
  let tokenIsCut = false;
  let lastWordEnd = -1;
  let runStart = 0;
  let runEnd = -SPACED_GAP_MAX - 1;
  let runLetters = 0;
  let isAscii = true;
  let hasUntidySpace = false;
  let lastSpace = -2;

  for (let at = 0; at <= size; at += 1) {
    const first = at < size ? letterIndex(codes[at] ?? 0) : 0;
    let length = 0;
    if (first > 0) {
      if (at > tokenStart) {
        const glue = codes[at - 1] ?? 0;
        const leetKind = glue < 128 ? (LEET_CODES[glue] ?? 0) : 0;
        const isInside = lastWordEnd > tokenStart;
        if (leetKind === 1 || (leetKind === 2 && isInside)) tokenIsLeet = true;
        if (isInside && glue !== APOSTROPHE) tokenIsCut = true;
      }
      const start = at;
      packed = first;
      sum = bigramScore(0, first);
      before = first;
      beforeThat = 0;
      for (at += 1; at < size; at += 1) {
        const letter = letterIndex(codes[at] ?? 0);
        if (letter === 0) break;
        if (letter === before && letter === beforeThat) triple = true;
        if (at - start < PACKED_LETTERS) packed = (packed << 5) | letter;
        sum += bigramScore(before, letter);
        beforeThat = before;
        before = letter;
      }
      length = at - start;
    }
    const code = at < size ? (codes[at] ?? 0) : 32;
    if (length > 0) {
      const start = at - length;
      letters += length;
      words += 1;
      if (length === 1) {
        // A letter next to digits or non-ASCII letters is part of something else.
        const alone = !isDigitOrNonAscii(code) && (start === 0 || !isDigitOrNonAscii(codes[start - 1] ?? 0));
        if (!alone || start - runEnd > SPACED_GAP_MAX) {
          if (runLetters >= SPACED_LETTERS_MIN) spaced.add(runStart, runEnd);
          runStart = start;
          runLetters = 0;
        }
        if (alone) runLetters += 1;
        runEnd = alone ? at : -SPACED_GAP_MAX - 1;
      } else {
        sum += bigramScore(before, 0);
        let oddness = UNREADABLE_BELOW * (length + 1) - sum;
        if (length <= 5) {
          if (COMMON_WORDS.has(packed)) oddness += COMMON_BONUS;
          else if (oddness > BACKWARDS_FROM && COMMON_WORDS.has(reversePackedWord(packed))) oddness += BACKWARDS_BONUS;
          else if (length > 3 && RADIO_ALPHABET_WORDS.has(packed)) radioAlphabetWords += 1;
        } else if (length >= LONG_WORD) longWords.add(start, at);
        unreadable.add(oddness, start, at);
        if (before === 25 && beforeThat === 1 && length > 3) wordsEndingInAy += 1;
        if (triple) stretched.add(start, at);
        triple = false;
      }
      if (code < 128 && LEET_CODES[code] === 1) tokenIsLeet = true;
      lastWordEnd = at;
    }
    if (code < 128) {
      counts[code] = (counts[code] ?? 0) + 1;
      if (code > 32) {
        const kind = RUN_CODES[code];
        if (kind === DIGIT) digits.add(at, 0);
        else if (kind === DOT) dots.add(at, lastWordEnd);
      } else {
        if (tokenIsLeet) leet.add(tokenStart, at);
        if (tokenIsCut) cut.add(tokenStart, at);
        if (at - tokenStart >= PADDED_TOKEN && (at - tokenStart >= LONG_TOKEN || (counts[EQUALS] ?? 0) > 0))
          longTokens.add(tokenStart, at);
        if ((code === 32 || (code >= 9 && code <= 13)) && at < size) {
          if (lastSpace === at - 1 || (code !== 32 && code !== 10)) hasUntidySpace = true;
          if (code === 10 && codes[at - 1] === HYPHEN) hasUntidySpace = true;
          lastSpace = at;
        }
        tokenIsLeet = false;
        tokenIsCut = false;
        tokenStart = at + 1;
      }
    } else {
      isAscii = false;
      if (asciiOnly) break;
    }
  }
  unreadable.close();
  digits.close();
  dots.close();
  if (runLetters >= SPACED_LETTERS_MIN) spaced.add(runStart, runEnd);
  scan.letters = letters;
  scan.words = words;
  scan.unreadableSpans = unreadable.collector.spans ?? NO_SPANS;
  scan.spacedRuns = spaced.spans ?? NO_SPANS;
  scan.longTokens = longTokens.spans ?? NO_SPANS;
  scan.digitRuns = digits.collector.spans ?? NO_SPANS;
  scan.dotRuns = dots.collector.spans ?? NO_SPANS;
  scan.leetTokens = leet.spans ?? NO_SPANS;
  scan.splitTokens = cut.spans ?? NO_SPANS;
  scan.longWords = longWords.spans ?? NO_SPANS;
  scan.stretchedWords = stretched.spans ?? NO_SPANS;
  scan.wordsEndingInAy = wordsEndingInAy;
  scan.radioAlphabetWords = radioAlphabetWords;
  scan.isAscii = isAscii;
  scan.hasUntidySpace = hasUntidySpace;
  return scan;
}

function isDigitOrNonAscii(code: number): boolean {
  return (code >= 48 && code <= 57) || code > 127;
}

/** A span of a text and what it decodes to. */
export interface DecodedSpan extends TextRange {
  /** The decoded text. */
  readonly text: string;
  /** The name of the disguise. */
  readonly undone: string;
}

/** The minimum share of printable characters in decoded text. */
const PRINTABLE_SHARE = 0.9;

/** Whether nearly all characters are printable. */
export function isPrintable(text: string): boolean {
  let unreadable = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const control = code < 32 && code !== 9 && code !== 10 && code !== 13;
    if (control || (code >= 127 && code < 160) || code === 0xfffd) unreadable += 1;
  }
  return text !== "" && unreadable <= text.length * (1 - PRINTABLE_SHARE);
}

/** Whether a text is mostly letters and spaces of any script, as sentences are. */
export function isMostlyLetters(text: string): boolean {
  let wordy = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 32 || code === 10 || (code > 64 && code < 91) || (code > 96 && code < 123) || code > 191) wordy += 1;
  }
  return wordy >= text.length * 0.65;
}

/** Decodes UTF-8; undefined if the result is not text. */
export function bytesToText(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return isPrintable(text) ? text : undefined;
}
