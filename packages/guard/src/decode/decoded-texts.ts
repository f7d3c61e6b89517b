import type { TextRange } from "../text-range.ts";
import {
  findBraille,
  findMorse,
  findPigLatin,
  findRadioSpelling,
  findUpsideDownLetters,
  mayBePigLatin,
  mayBeRadioSpelling,
} from "./alphabets.ts";
import { findBase64, findCharacterCodes } from "./byte-encodings.ts";
import { findEscapes, mayHoldEscapes } from "./escapes.ts";
import { measureFluency } from "./fluency.ts";
import { findHiddenUnicode } from "./hidden-unicode.ts";
import { findLeetspeak } from "./leetspeak.ts";
import { findLetterCiphers } from "./letter-ciphers.ts";
import { type NormalisedText, normalise, OffsetMap } from "./normalise.ts";
import { type DecodedSpan, type EncodingScan, scanForEncodings } from "./scan-for-encodings.ts";
import { findRunOnWords, findSpacedOutLetters, findSplitWords, mayHoldSplitWords } from "./word-boundaries.ts";

/** One form of a text: the plain one, or one decoded from it. */
export interface DecodedText {
  /** Normalised: as a reader sees it, in lower case. */
  readonly text: string;
  /** The disguises that were undone. */
  readonly undone: readonly string[];
  /**
   * Whether a fifth of the text or more is an encoding that another decoded text contains in decoded form. Then only
   * that one is scored, as the look of an encoding is no evidence.
   */
  readonly isSuperseded: boolean;
  /** Maps a range of this text to the original. Decoded text maps to the range of its encoding. */
  readonly placeOf: (start: number, end: number) => TextRange;
}

export type DecodedTexts = readonly [DecodedText, ...DecodedText[]];

/** The maximum number of nested encodings. */
const DEPTH_MAX = 2;
/** The maximum number of decoded texts, and their total length: a base plus a factor times the length of the text. */
const DECODED_TEXTS_MAX = 7;
const DECODED_CHARACTERS_BASE = 1024;
const DECODED_CHARACTERS_FACTOR = 2;
/** With this many letters, decoded text is a text of its own rather than a word in a sentence. */
const STANDALONE_LETTERS_MIN = 16;
const STANDALONE_NON_ASCII_MIN = 6;
/** The characters, such as quotes and a full stop, that may surround an encoding that is the whole text. */
const SURROUNDING_CHARACTERS_MAX = 8;
const IN_PLACE_DISGUISES: ReadonlySet<string> = new Set([
  "leetspeak",
  "split-words",
  "stretched-words",
  "run-on-words",
]);
/** The share of a text that must be encoded for its decoded form to supersede it. */
const SUPERSEDED_SHARE = 0.2;
/** The maximum gap between two encoded pieces of one text. */
const PASSAGE_GAP_MAX = 3;
const NOT_ASCII = /[^\0-\x7f]/;

/** All forms of a text, the plain one first. */
export function findDecodedTexts(original: string): DecodedTexts {
  // Nothing in an ASCII text is folded, so it is scanned as it is.
  const scan = scanForEncodings(original, true);
  const { isAscii, hasUntidySpace } = scan;
  const decodedSpans = isAscii ? findEncodedSpans(original, scan) : undefined;
  if (decodedSpans?.length === 0) return [hasUntidySpace ? tidiedText(original) : new OrdinaryText(original)];
  const normal = normalise(original);
  const hidden = new DecodedTextCollector(normal.text, original.length);
  if (!isAscii) {
    for (const { text, start, end, undone } of findHiddenUnicode(original))
      hidden.add(text, [undone], proportionalSpan(start, end, text.length, samePlace), 1);
  }
  const placeOfLetters = (start: number, end: number): TextRange => ({
    start: normal.casedToOriginalOffset(start),
    end: normal.casedToOriginalOffset(end),
  });
  const plain: DecodedText = {
    text: normal.text,
    undone: normal.undone,
    isSuperseded: hidden.search(normal, [], placeOfLetters, 1, decodedSpans),
    placeOf: (start, end) => ({ start: normal.toOriginalOffset(start), end: normal.toOriginalOffset(end) }),
  };
  return [plain, ...hidden.decodedTexts];
}

const NO_DISGUISES: readonly string[] = [];

/** An ordinary ASCII text: only its capitals change, and most are read without that. */
export class OrdinaryText implements DecodedText {
  readonly #original: string;
  #text: string | undefined;

  constructor(original: string) {
    this.#original = original;
  }

  get text(): string {
    this.#text ??= this.#original.toLowerCase();
    return this.#text;
  }

  get undone(): readonly string[] {
    return NO_DISGUISES;
  }

  get isSuperseded(): boolean {
    return false;
  }

  get placeOf(): DecodedText["placeOf"] {
    return samePlace;
  }
}

/** A text of which only the white space changes. */
function tidiedText(original: string): DecodedText {
  const normal = normalise(original);
  return {
    text: normal.text,
    undone: normal.undone,
    isSuperseded: false,
    placeOf: (start, end) => ({ start: normal.toOriginalOffset(start), end: normal.toOriginalOffset(end) }),
  };
}

function samePlace(start: number, end: number): TextRange {
  return { start, end };
}

/** Collects decoded texts up to the limits. */
class DecodedTextCollector {
  readonly decodedTexts: DecodedText[] = [];
  readonly #seenTexts: Set<string>;
  #charactersLeft: number;

  constructor(plain: string, length: number) {
    this.#seenTexts = new Set([plain]);
    this.#charactersLeft = DECODED_CHARACTERS_BASE + DECODED_CHARACTERS_FACTOR * length;
  }

  /**
   * Finds the encodings in a text and adds the text with all of them decoded in place, and each long passage by itself.
   * Returns whether the decoded form supersedes the text. `decodedSpans`: the encodings, where they are known.
   */
  search(
    { casedText }: NormalisedText,
    undone: readonly string[],
    place: DecodedText["placeOf"],
    depth: number,
    decodedSpans: readonly DecodedSpan[] = findEncodedSpans(casedText, scanForEncodings(casedText)),
  ): boolean {
    if (decodedSpans.length === 0) return false;
    const decodedPassages = groupIntoPassages(casedText, decodedSpans);
    const covered = decodedPassages.reduce((sum, { start, end }) => sum + end - start, 0);
    // If the encoding is all there is, the whole text is the passage.
    if (casedText.length - covered > SURROUNDING_CHARACTERS_MAX) {
      for (const decodedPassage of decodedPassages) {
        if (!isStandaloneText(decodedPassage)) continue;
        const { text, start, end, names } = decodedPassage;
        this.add(text, [...undone, ...names], proportionalSpan(start, end, text.length, place), depth);
      }
    }
    const isWhole = this.#addWhole(casedText, decodedSpans, undone, place, depth);
    return isWhole && covered >= casedText.length * SUPERSEDED_SHARE;
  }

  /** Adds a decoded text and what is encoded in it. Returns whether the text is in the collection. */
  add(text: string, undone: readonly string[], place: DecodedText["placeOf"], depth: number): boolean {
    if (this.decodedTexts.length >= DECODED_TEXTS_MAX || text.length > this.#charactersLeft) return false;
    const normal = normalise(text);
    if (this.#seenTexts.has(normal.text)) return true;
    this.#seenTexts.add(normal.text);
    this.#charactersLeft -= text.length;
    const all = [...new Set([...undone, ...normal.undone])];
    const placeOf = (start: number, end: number): TextRange =>
      place(normal.toOriginalOffset(start), normal.toOriginalOffset(end));
    const placeOfLetters = (start: number, end: number): TextRange =>
      place(normal.casedToOriginalOffset(start), normal.casedToOriginalOffset(end));
    const decodedText = { text: normal.text, undone: all, isSuperseded: false, placeOf };
    this.decodedTexts.push(decodedText);
    if (depth < DEPTH_MAX) decodedText.isSuperseded = this.search(normal, all, placeOfLetters, depth + 1);
    return true;
  }

  #addWhole(
    casedText: string,
    decodedSpans: readonly DecodedSpan[],
    undone: readonly string[],
    place: DecodedText["placeOf"],
    depth: number,
  ): boolean {
    const offsetMap = new OffsetMap();
    const parts: string[] = [];
    let length = 0;
    let copied = 0;
    for (const { start, end, text } of decodedSpans) {
      parts.push(casedText.slice(copied, start), text);
      const from = length + start - copied;
      length = from + text.length;
      copied = end;
      offsetMap.addStretchedEdit(from, start, length, end);
    }
    parts.push(casedText.slice(copied));
    const names = decodedSpans.map((decodedSpan) => decodedSpan.undone);
    return this.add(
      parts.join(""),
      [...new Set([...undone, ...names])],
      (start, end) => place(offsetMap.toSourceOffset(start), offsetMap.toSourceOffset(end)),
      depth,
    );
  }
}

interface DecodedPassage extends TextRange {
  readonly text: string;
  readonly names: readonly string[];
}

/** Joins pieces with small gaps into passages. */
function groupIntoPassages(casedText: string, decodedSpans: readonly DecodedSpan[]): DecodedPassage[] {
  const decodedPassages: DecodedPassage[] = [];
  let open: { start: number; end: number; parts: string[]; names: Set<string> } | undefined;
  const close = () => {
    if (open !== undefined)
      decodedPassages.push({
        start: open.start,
        end: open.end,
        text: open.parts.join(""),
        names: [...open.names],
      });
  };
  for (const { start, end, text, undone } of decodedSpans) {
    if (open !== undefined && start - open.end <= PASSAGE_GAP_MAX) {
      open.parts.push(casedText.slice(open.end, start), text);
      open.end = end;
      open.names.add(undone);
    } else {
      close();
      open = { start, end, parts: [text], names: new Set([undone]) };
    }
  }
  close();
  return decodedPassages;
}

/** Disguises inside a word belong to the sentence around it. Non-ASCII text needs fewer letters, as each says more. */
function isStandaloneText({ text, names }: DecodedPassage): boolean {
  if (names.every((name) => IN_PLACE_DISGUISES.has(name))) return false;
  return (
    text.length >= STANDALONE_NON_ASCII_MIN &&
    (NOT_ASCII.test(text) || measureFluency(text).letters >= STANDALONE_LETTERS_MIN)
  );
}

/** Maps a range of decoded text to its encoding in proportion to the lengths. */
function proportionalSpan(
  start: number,
  end: number,
  length: number,
  place: DecodedText["placeOf"],
): DecodedText["placeOf"] {
  const ratio = (end - start) / Math.max(1, length);
  return (from, to) => place(start + Math.floor(from * ratio), Math.min(end, start + Math.ceil(to * ratio)));
}

/** All encoded spans of a text, in order and without overlaps. */
function findEncodedSpans(text: string, encodingScan: EncodingScan): readonly DecodedSpan[] {
  if (encodingScan.isAscii && !mayHoldEncodings(text, encodingScan)) return NO_SPANS;
  const decodedSpans: DecodedSpan[] = [];
  // Unambiguous encodings come first: of spans that overlap, the earlier in this list counts.
  mergeWithoutOverlaps(decodedSpans, findEscapes(text, encodingScan));
  if (encodingScan.longTokens.length > 0) mergeWithoutOverlaps(decodedSpans, findBase64(text, encodingScan));
  if (encodingScan.digitRuns.length > 0) mergeWithoutOverlaps(decodedSpans, findCharacterCodes(text, encodingScan));
  if (encodingScan.dotRuns.length > 0) mergeWithoutOverlaps(decodedSpans, findMorse(text, encodingScan));
  mergeWithoutOverlaps(decodedSpans, findRadioSpelling(text, encodingScan));
  if (encodingScan.spacedRuns.length > 0) mergeWithoutOverlaps(decodedSpans, findSpacedOutLetters(text, encodingScan));
  if (!encodingScan.isAscii) {
    mergeWithoutOverlaps(decodedSpans, findBraille(text));
    mergeWithoutOverlaps(decodedSpans, findUpsideDownLetters(text));
  }
  mergeWithoutOverlaps(decodedSpans, findPigLatin(text, encodingScan));
  if (encodingScan.unreadableSpans.length > 0)
    mergeWithoutOverlaps(decodedSpans, findLetterCiphers(text, encodingScan));
  if (encodingScan.leetTokens.length > 0) mergeWithoutOverlaps(decodedSpans, findLeetspeak(text, encodingScan));
  mergeWithoutOverlaps(decodedSpans, findSplitWords(text, encodingScan));
  mergeWithoutOverlaps(decodedSpans, findRunOnWords(text, encodingScan));
  return decodedSpans;
}

const NO_SPANS: readonly DecodedSpan[] = [];

/** Whether anything in an ASCII text is worth a closer look. */
function mayHoldEncodings(text: string, encodingScan: EncodingScan): boolean {
  return (
    encodingScan.longTokens.length > 0 ||
    encodingScan.splitTokens.length > 0 ||
    encodingScan.leetTokens.length > 0 ||
    encodingScan.unreadableSpans.length > 0 ||
    encodingScan.digitRuns.length > 0 ||
    encodingScan.dotRuns.length > 0 ||
    encodingScan.spacedRuns.length > 0 ||
    encodingScan.longWords.length > 0 ||
    encodingScan.stretchedWords.length > 0 ||
    mayHoldEscapes(encodingScan) ||
    mayBeRadioSpelling(encodingScan) ||
    mayBePigLatin(encodingScan) ||
    mayHoldSplitWords(text, encodingScan)
  );
}

/** Merges new spans into a sorted list and drops those that overlap an existing one. */
function mergeWithoutOverlaps(decodedSpans: DecodedSpan[], found: readonly DecodedSpan[]): void {
  if (found.length === 0) return;
  const fresh = found.toSorted((a, b) => a.start - b.start);
  const merged: DecodedSpan[] = [];
  let old = 0;
  let end = 0;
  for (const decodedSpan of fresh) {
    for (let next = decodedSpans[old]; next !== undefined && next.start < decodedSpan.end; next = decodedSpans[old]) {
      merged.push(next);
      end = Math.max(end, next.end);
      old += 1;
    }
    if (decodedSpan.start < end) continue;
    merged.push(decodedSpan);
    end = decodedSpan.end;
  }
  for (; old < decodedSpans.length; old += 1) {
    const next = decodedSpans[old];
    if (next !== undefined) merged.push(next);
  }
  decodedSpans.length = 0;
  for (const decodedSpan of merged) decodedSpans.push(decodedSpan);
}
