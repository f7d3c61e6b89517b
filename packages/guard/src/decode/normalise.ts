import { type CharacterFold, foldCharacter, latiniseConfusables } from "./unicode-folding.ts";

/** A text as a reader sees it, however it was written. */
export interface NormalisedText {
  readonly text: string;
  /** The text before lower-casing and collapsing spaces. Encodings are decoded from it. */
  readonly casedText: string;
  /** The disguises that were undone. */
  readonly undone: readonly string[];
  /** The offset in the original of an offset in `text`. */
  toOriginalOffset(offset: number): number;
  /** The offset in the original of an offset in `casedText`. */
  casedToOriginalOffset(offset: number): number;
}

/** How each character of the basic plane is folded; computed once and cached. */
const UNKNOWN = 0;
const UNCHANGED = 1;
const FOLDED = 2;
const SURROGATE = 3;
const kinds = new Uint8Array(65_536);
kinds.fill(UNCHANGED, 0, 128);
kinds.fill(SURROGATE, 0xd800, 0xe000);
const characterFolds: (CharacterFold | undefined)[] = Array.from({ length: 65_536 });

/** The number of cached folds of other planes, so that rare characters cannot fill the memory. */
const RARE_FOLDS_MAX = 4096;
const rareFolds = new Map<number, CharacterFold>();

const NOT_ASCII = /[^\0-\x7f]/;
const NO_DISGUISES: readonly string[] = [];

/**
 * Rewrites a text as a reader sees it: compatibility forms, no hidden characters, one script per word, lower case,
 * single spaces.
 */
export function normalise(original: string): NormalisedText {
  const first = original.search(NOT_ASCII);
  const undone = first === -1 ? undefined : new Set<string>();
  const letters = undone === undefined ? unchanged(original) : foldLetters(original, first, undone);
  const lower = letters.text.toLowerCase();
  const latin = undone === undefined ? lower : latiniseConfusables(lower);
  if (latin !== lower) undone?.add("mixed-scripts");
  const spaced = tidySpace(latin);
  const seen = undone === undefined ? NO_DISGUISES : [...undone];
  const originalOfLetter = (offset: number) => letters.offsetMap?.toSourceOffset(offset) ?? offset;
  return {
    text: spaced.text,
    casedText: latin === lower ? letters.text : latin,
    undone: spaced.joins === 0 ? seen : [...seen, "broken-words"],
    toOriginalOffset: (offset) => originalOfLetter(spaced.offsetMap?.toSourceOffset(offset) ?? offset),
    casedToOriginalOffset: originalOfLetter,
  };
}

interface RewrittenText {
  readonly text: string;
  /** undefined: all offsets are unchanged. */
  readonly offsetMap: OffsetMap | undefined;
}

function unchanged(text: string): RewrittenText {
  return { text, offsetMap: undefined };
}

function foldLetters(original: string, first: number, undone: Set<string>): RewrittenText {
  let offsetMap: OffsetMap | undefined;
  let text = "";
  let copied = 0;
  for (let at = first; at < original.length; at += 1) {
    const code = original.charCodeAt(at);
    const kind = kindOf(code);
    if (kind === UNCHANGED) continue;
    const characterFold = kind === FOLDED ? characterFolds[code] : rareFold(original.codePointAt(at) ?? 0);
    if (characterFold === undefined) continue;
    const length = kind === FOLDED ? 1 : 2;
    if (characterFold.disguise !== undefined && isDisguise(characterFold, original, at))
      undone.add(characterFold.disguise);
    text += original.slice(copied, at) + characterFold.text;
    copied = at + length;
    if (characterFold.text.length !== length) {
      offsetMap ??= new OffsetMap();
      offsetMap.addEdit(text.length, copied);
    }
    at = copied - 1;
  }
  return copied === 0 ? unchanged(original) : { text: text + original.slice(copied), offsetMap };
}

function kindOf(code: number): number {
  const known = kinds[code] ?? UNKNOWN;
  if (known !== UNKNOWN) return known;
  const point = String.fromCharCode(code);
  const characterFold = foldCharacter(point);
  const kind = characterFold.text === point ? UNCHANGED : FOLDED;
  kinds[code] = kind;
  characterFolds[code] = characterFold;
  return kind;
}

/** The fold of a character outside the basic plane; undefined: it is left alone, as a lone surrogate is. */
function rareFold(code: number): CharacterFold | undefined {
  if (code < 0x10000) return undefined;
  const known = rareFolds.get(code);
  if (known !== undefined) return known;
  const characterFold = foldCharacter(String.fromCodePoint(code));
  if (rareFolds.size < RARE_FOLDS_MAX) rareFolds.set(code, characterFold);
  return characterFold;
}

/** Emoji sequences and words of some scripts use the same invisible characters that split Latin words. */
function isDisguise(characterFold: CharacterFold, original: string, at: number): boolean {
  return characterFold.disguise !== "zero-width" || (at > 0 && original.charCodeAt(at - 1) < 0x250);
}

/** White space longer than one space, and a hyphen before it where a word may continue on the next line. */
const UNTIDY_SPACE = /-(?:\s{2,}|\n)|\s{2,}|[\t\v\f\r]/g;
const HYPHEN = 45;

/**
 * Collapses white space to one space, or to one line break if it contains one, as some rules match at line starts.
 * Words broken over two lines are joined.
 */
function tidySpace(source: string): RewrittenText & { readonly joins: number } {
  let offsetMap: OffsetMap | undefined;
  let shift = 0;
  let joins = 0;
  const text = source.replace(UNTIDY_SPACE, (run: string, at: number) => {
    const end = at + run.length;
    const tidy = tidyRun(run, source.charCodeAt(at - 1), source.charCodeAt(end));
    if (tidy === "") joins += 1;
    if (run.length !== tidy.length) {
      shift += tidy.length - run.length;
      offsetMap ??= new OffsetMap();
      offsetMap.addEdit(end + shift, end);
    }
    return tidy;
  });
  return { text, offsetMap, joins };
}

function tidyRun(run: string, before: number, after: number): string {
  const space = run.includes("\n") ? "\n" : " ";
  if (run.charCodeAt(0) !== HYPHEN) return space;
  return space === "\n" && isLetter(before) && isLetter(after) ? "" : `-${space}`;
}

function isLetter(code: number): boolean {
  return code >= 97 && code <= 122;
}

/** Maps offsets in a rewritten text to offsets in its source. */
export class OffsetMap {
  readonly #resultOffsets: number[] = [];
  readonly #sourceOffsets: number[] = [];
  /** The edits whose offsets are interpolated. */
  readonly #stretched = new Set<number>();

  /**
   * Records an edit: the first `resultEnd` characters of the result stand for the first `sourceEnd` characters of the
   * source.
   */
  addEdit(resultEnd: number, sourceEnd: number): void {
    this.#resultOffsets.push(resultEnd);
    this.#sourceOffsets.push(sourceEnd);
  }

  /** Records an edit inside which offsets are interpolated linearly. */
  addStretchedEdit(resultStart: number, sourceStart: number, resultEnd: number, sourceEnd: number): void {
    this.addEdit(resultStart, sourceStart);
    this.#stretched.add(this.#resultOffsets.length);
    this.addEdit(resultEnd, sourceEnd);
  }

  /** The offset in the source of an offset in the result. */
  toSourceOffset(offset: number): number {
    let low = 0;
    let high = this.#resultOffsets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#resultOffsets[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    const [source, after] = [this.#sourceOffsets[low - 1] ?? 0, this.#resultOffsets[low - 1] ?? 0];
    if (this.#stretched.has(low)) {
      const share = (offset - after) / ((this.#resultOffsets[low] ?? 0) - after);
      return source + Math.round(share * ((this.#sourceOffsets[low] ?? 0) - source));
    }
    const traced = source + offset - after;
    // Inside a replacement that is longer than its source, stop at the end of the source.
    return Math.min(traced, this.#sourceOffsets[low] ?? traced);
  }
}
