import { RESUMABLE_MIN_CHARACTERS, type Resumable, runToEnd } from "../resumable.ts";
import { findBraille, findMorse, findPigLatin, findRadioSpelling, findUpsideDownLetters } from "./alphabets.ts";
import { findBase64, findCharacterCodes } from "./byte-encodings.ts";
import { findEscapes } from "./escapes.ts";
import { measureFluency } from "./fluency.ts";
import { findHiddenUnicode } from "./hidden-unicode.ts";
import { findLeetspeak } from "./leetspeak.ts";
import { findLetterCiphers } from "./letter-ciphers.ts";
import { type NormalisedText, normalise, OffsetMap } from "./normalise.ts";
import { type DecodedSpan, scanForEncodings } from "./scan-for-encodings.ts";
import { findRunOnWords, findSpacedOutLetters, findSplitWords } from "./word-boundaries.ts";

/** A stretch of a text, end exclusive. */
export interface SourceSpan {
  readonly start: number;
  readonly end: number;
}

/** One way to read a text: as it stands, or what is hidden in it. */
export interface DecodedText {
  /** Normalised: what a reader sees, in lower case. */
  readonly text: string;
  /** What was undone to read it so. */
  readonly undone: readonly string[];
  /**
   * Whether a fifth of it or more is an encoding, and a later layer says all that it does with that decoded. Then it tells nothing of
   * its own, and what is judged by it is how encodings look.
   */
  readonly isSuperseded: boolean;
  /** Where in the original a stretch of it stands. What is hidden in an encoding stands where the encoded words do. */
  readonly placeOf: (start: number, end: number) => SourceSpan;
}

export type DecodedTexts = readonly [DecodedText, ...DecodedText[]];

/** How many layers may lie above each other. */
const DEPTH_MAX = 2;
/** How many hidden layers a text may have, and how long all of them may be: some, and then so many times the text. */
const DECODED_TEXTS_MAX = 7;
const DECODED_CHARACTERS_BASE = 1024;
const DECODED_CHARACTERS_FACTOR = 2;
/** From so many letters on, what was hidden is a text of its own rather than a word among others. */
const STANDALONE_LETTERS_MIN = 16;
const STANDALONE_NON_ASCII_MIN = 6;
/** What may stand beside hidden words, such as quotes and a full stop, for them to be all there is. */
const SURROUNDING_CHARACTERS_MAX = 8;
const IN_PLACE_DISGUISES: ReadonlySet<string> = new Set([
  "leetspeak",
  "split-words",
  "stretched-words",
  "run-on-words",
]);
/** The share of a layer from which on what was found in it stands for it. */
const SUPERSEDED_SHARE = 0.2;
/** What may stand between two hidden pieces that are one text. */
const PASSAGE_GAP_MAX = 3;
const NOT_ASCII = /[^\0-\x7f]/;

/** All ways to read a text, the plain one first. */
export function findDecodedTexts(original: string): DecodedTexts {
  return runToEnd(findDecodedTextsResumable(original));
}

/** The same, step by step. */
export function* findDecodedTextsResumable(original: string): Resumable<DecodedTexts> {
  const normal = normalise(original);
  const hidden = new DecodedTextCollector(normal.text, original.length);
  if (NOT_ASCII.test(original)) {
    if (original.length >= RESUMABLE_MIN_CHARACTERS) yield;
    const here = (start: number, end: number): SourceSpan => ({ start, end });
    for (const { text, start, end, undone } of findHiddenUnicode(original))
      yield* hidden.add(text, [undone], proportionalSpan(start, end, text.length, here), 1);
  }
  const placeOfLetters = (start: number, end: number): SourceSpan => ({
    start: normal.casedToOriginalOffset(start),
    end: normal.casedToOriginalOffset(end),
  });
  const plain: DecodedText = {
    text: normal.text,
    undone: normal.undone,
    isSuperseded: yield* hidden.search(normal, [], placeOfLetters, 1),
    placeOf: (start, end) => ({ start: normal.toOriginalOffset(start), end: normal.toOriginalOffset(end) }),
  };
  return [plain, ...hidden.decodedTexts];
}

/** Collects hidden layers until one of the limits is met. */
class DecodedTextCollector {
  readonly decodedTexts: DecodedText[] = [];
  readonly #seenTexts: Set<string>;
  #charactersLeft: number;

  constructor(plain: string, length: number) {
    this.#seenTexts = new Set([plain]);
    this.#charactersLeft = DECODED_CHARACTERS_BASE + DECODED_CHARACTERS_FACTOR * length;
  }

  /**
   * Looks for what is hidden in a text and adds it: the whole with all of it in place, and longer passages each alone.
   * Returns whether that stands for the text.
   */
  *search(
    { casedText: letters }: NormalisedText,
    undone: readonly string[],
    place: DecodedText["placeOf"],
    depth: number,
  ): Resumable<boolean> {
    if (letters.length >= RESUMABLE_MIN_CHARACTERS) yield;
    const decodedSpans = yield* findEncodedSpans(letters);
    if (decodedSpans.length === 0) return false;
    const decodedPassages = groupIntoPassages(letters, decodedSpans);
    const covered = decodedPassages.reduce((sum, { start, end }) => sum + end - start, 0);
    // Where nothing but hidden words is there, the whole is the passage.
    if (letters.length - covered > SURROUNDING_CHARACTERS_MAX) {
      for (const decodedPassage of decodedPassages) {
        if (!isStandaloneText(decodedPassage)) continue;
        const { text, start, end, names } = decodedPassage;
        yield* this.add(text, [...undone, ...names], proportionalSpan(start, end, text.length, place), depth);
      }
    }
    const isWhole = yield* this.#addWhole(letters, decodedSpans, undone, place, depth);
    return isWhole && covered >= letters.length * SUPERSEDED_SHARE;
  }

  /** Adds a layer, and what is hidden in it. Returns whether the text is among the layers. */
  *add(text: string, undone: readonly string[], place: DecodedText["placeOf"], depth: number): Resumable<boolean> {
    if (this.decodedTexts.length >= DECODED_TEXTS_MAX || text.length > this.#charactersLeft) return false;
    const normal = normalise(text);
    if (this.#seenTexts.has(normal.text)) return true;
    this.#seenTexts.add(normal.text);
    this.#charactersLeft -= text.length;
    const all = [...new Set([...undone, ...normal.undone])];
    const placeOf = (start: number, end: number): SourceSpan =>
      place(normal.toOriginalOffset(start), normal.toOriginalOffset(end));
    const placeOfLetters = (start: number, end: number): SourceSpan =>
      place(normal.casedToOriginalOffset(start), normal.casedToOriginalOffset(end));
    const layer = { text: normal.text, undone: all, isSuperseded: false, placeOf };
    this.decodedTexts.push(layer);
    if (depth < DEPTH_MAX) layer.isSuperseded = yield* this.search(normal, all, placeOfLetters, depth + 1);
    return true;
  }

  *#addWhole(
    letters: string,
    decodedSpans: readonly DecodedSpan[],
    undone: readonly string[],
    place: DecodedText["placeOf"],
    depth: number,
  ): Resumable<boolean> {
    const trail = new OffsetMap();
    const parts: string[] = [];
    let length = 0;
    let copied = 0;
    for (const { start, end, text } of decodedSpans) {
      parts.push(letters.slice(copied, start), text);
      const from = length + start - copied;
      length = from + text.length;
      copied = end;
      trail.addStretchedEdit(from, start, length, end);
    }
    parts.push(letters.slice(copied));
    const names = decodedSpans.map((decodedSpan) => decodedSpan.undone);
    return yield* this.add(
      parts.join(""),
      [...new Set([...undone, ...names])],
      (start, end) => place(trail.toSourceOffset(start), trail.toSourceOffset(end)),
      depth,
    );
  }
}

interface DecodedPassage extends SourceSpan {
  readonly text: string;
  readonly names: readonly string[];
}

/** Pieces with next to nothing between them are one passage. */
function groupIntoPassages(letters: string, decodedSpans: readonly DecodedSpan[]): DecodedPassage[] {
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
      open.parts.push(letters.slice(open.end, start), text);
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

/** Words that are only written otherwise belong to the sentence that they stand in. Letters of other scripts say more each. */
function isStandaloneText({ text, names }: DecodedPassage): boolean {
  if (names.every((name) => IN_PLACE_DISGUISES.has(name))) return false;
  return (
    text.length >= STANDALONE_NON_ASCII_MIN &&
    (NOT_ASCII.test(text) || measureFluency(text).letters >= STANDALONE_LETTERS_MIN)
  );
}

/** Where in an encoded stretch a part of what it says stands: as far along as it is in the words. */
function proportionalSpan(
  start: number,
  end: number,
  length: number,
  place: DecodedText["placeOf"],
): DecodedText["placeOf"] {
  const stretch = (end - start) / Math.max(1, length);
  return (from, to) => place(start + Math.floor(from * stretch), Math.min(end, start + Math.ceil(to * stretch)));
}

const NON_ASCII_CHARACTER = /[^\0-\x7f]/;

/** Everything in a text that says something else than it shows, in order and without overlaps. */
function* findEncodedSpans(text: string): Resumable<DecodedSpan[]> {
  const isLong = text.length >= RESUMABLE_MIN_CHARACTERS;
  const seen = scanForEncodings(text);
  const decodedSpans: DecodedSpan[] = [];
  // What leaves no doubt comes first: of pieces that overlap, the earlier in this list counts.
  if (isLong) yield;
  mergeWithoutOverlaps(decodedSpans, findEscapes(text, seen));
  if (isLong) yield;
  if (seen.longTokens.length > 0) mergeWithoutOverlaps(decodedSpans, findBase64(text, seen));
  if (isLong) yield;
  if (seen.digitRuns.length > 0) mergeWithoutOverlaps(decodedSpans, findCharacterCodes(text, seen));
  if (isLong) yield;
  if (seen.dotRuns.length > 0) mergeWithoutOverlaps(decodedSpans, findMorse(text, seen));
  mergeWithoutOverlaps(decodedSpans, findRadioSpelling(text, seen));
  if (isLong) yield;
  if (seen.spacedRuns.length > 0) mergeWithoutOverlaps(decodedSpans, findSpacedOutLetters(text, seen));
  if (NON_ASCII_CHARACTER.test(text)) {
    mergeWithoutOverlaps(decodedSpans, findBraille(text));
    if (isLong) yield;
    mergeWithoutOverlaps(decodedSpans, findUpsideDownLetters(text));
  }
  if (isLong) yield;
  mergeWithoutOverlaps(decodedSpans, findPigLatin(text, seen));
  if (isLong) yield;
  if (seen.unreadableSpans.length > 0) mergeWithoutOverlaps(decodedSpans, findLetterCiphers(text, seen));
  if (isLong) yield;
  if (seen.leetTokens.length > 0) mergeWithoutOverlaps(decodedSpans, findLeetspeak(text, seen));
  if (isLong) yield;
  mergeWithoutOverlaps(decodedSpans, findSplitWords(text, seen));
  if (isLong) yield;
  mergeWithoutOverlaps(decodedSpans, findRunOnWords(text, seen));
  return decodedSpans;
}

/** Merges two lists that are each in order, dropping the new pieces that overlap an old one. */
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
