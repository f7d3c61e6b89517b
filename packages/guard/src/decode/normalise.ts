import { type CharacterFold, foldCharacter, latiniseConfusables } from "./unicode-folding.ts";

/** A text as it reads, whatever it was written with. */
export interface NormalisedText {
  readonly text: string;
  /** The same before lower case and single spaces: what an encoding is read from. */
  readonly casedText: string;
  /** What was undone of the things that hide words from a reader or a pattern. */
  readonly undone: readonly string[];
  /** The offset in the original of an offset in `text`. */
  toOriginalOffset(offset: number): number;
  /** The offset in the original of an offset in `letters`. */
  casedToOriginalOffset(offset: number): number;
}

/** What there is to do about a character of the basic plane: found out once, remembered for good. */
const UNKNOWN = 0;
const UNCHANGED = 1;
const FOLDED = 2;
const SURROGATE = 3;
const kinds = new Uint8Array(65_536);
kinds.fill(UNCHANGED, 0, 128);
kinds.fill(SURROGATE, 0xd800, 0xe000);
const characterFolds: (CharacterFold | undefined)[] = Array.from({ length: 65_536 });

/** Of the other planes so many are remembered: nobody can fill the memory with rare ones. */
const RARE_FOLDS_MAX = 4096;
const rareFolds = new Map<number, CharacterFold>();

const NOT_ASCII = /[^\0-\x7f]/;
const NO_DISGUISES: readonly string[] = [];

/** Rewrites a text the way a reader sees it: compatible forms, no hidden characters, one script a word, lower case, single spaces. */
export function normalise(original: string): NormalisedText {
  const first = original.search(NOT_ASCII);
  const undone = first === -1 ? undefined : new Set<string>();
  const letters = undone === undefined ? unchanged(original) : foldLetters(original, first, undone);
  const lower = letters.text.toLowerCase();
  const latin = undone === undefined ? lower : latiniseConfusables(lower);
  if (latin !== lower) undone?.add("mixed-scripts");
  const spaced = tidySpace(latin);
  const seen = undone === undefined ? NO_DISGUISES : [...undone];
  const originalOfLetter = (offset: number) => letters.trail?.toSourceOffset(offset) ?? offset;
  return {
    text: spaced.text,
    casedText: latin === lower ? letters.text : latin,
    undone: spaced.joins === 0 ? seen : [...seen, "broken-words"],
    toOriginalOffset: (offset) => originalOfLetter(spaced.trail?.toSourceOffset(offset) ?? offset),
    casedToOriginalOffset: originalOfLetter,
  };
}

interface RewrittenText {
  readonly text: string;
  /** undefined: every offset is as it was. */
  readonly trail: OffsetMap | undefined;
}

function unchanged(text: string): RewrittenText {
  return { text, trail: undefined };
}

function foldLetters(original: string, first: number, undone: Set<string>): RewrittenText {
  let trail: OffsetMap | undefined;
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
      trail ??= new OffsetMap();
      trail.addEdit(text.length, copied);
    }
    at = copied - 1;
  }
  return copied === 0 ? unchanged(original) : { text: text + original.slice(copied), trail };
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

/** Of a character outside the basic plane; undefined: it is left as it is, as half of one is. */
function rareFold(code: number): CharacterFold | undefined {
  if (code < 0x10000) return undefined;
  const known = rareFolds.get(code);
  if (known !== undefined) return known;
  const characterFold = foldCharacter(String.fromCodePoint(code));
  if (rareFolds.size < RARE_FOLDS_MAX) rareFolds.set(code, characterFold);
  return characterFold;
}

/** Families of emoji and words of some scripts are joined by the same invisible characters that cut Latin words. */
function isDisguise(characterFold: CharacterFold, original: string, at: number): boolean {
  return characterFold.disguise !== "zero-width" || (at > 0 && original.charCodeAt(at - 1) < 0x250);
}

/** White space that is more than one space, and the hyphen before it where a word may go on in the next line. */
const UNTIDY_SPACE = /-(?:\s{2,}|\n)|\s{2,}|[\t\v\f\r]/g;
const HYPHEN = 45;

/**
 * Runs of white space become one space, or one line break where they held one: some rules look at line starts.
 * Words that a line break parts are put together.
 */
function tidySpace(source: string): RewrittenText & { readonly joins: number } {
  let trail: OffsetMap | undefined;
  let shift = 0;
  let joins = 0;
  const text = source.replace(UNTIDY_SPACE, (run: string, at: number) => {
    const end = at + run.length;
    const tidy = tidyRun(run, source.charCodeAt(at - 1), source.charCodeAt(end));
    if (tidy === "") joins += 1;
    if (run.length !== tidy.length) {
      shift += tidy.length - run.length;
      trail ??= new OffsetMap();
      trail.addEdit(end + shift, end);
    }
    return tidy;
  });
  return { text, trail, joins };
}

function tidyRun(run: string, before: number, after: number): string {
  const space = run.includes("\n") ? "\n" : " ";
  if (run.charCodeAt(0) !== HYPHEN) return space;
  return space === "\n" && isLetter(before) && isLetter(after) ? "" : `-${space}`;
}

function isLetter(code: number): boolean {
  return code >= 97 && code <= 122;
}

/** Remembers where a rewritten text grew or shrank, so that an offset in it can be traced to the text it came from. */
export class OffsetMap {
  readonly #resultOffsets: number[] = [];
  readonly #sourceOffsets: number[] = [];
  /** The notes whose replacement says more or less the same all along, only with other characters. */
  readonly #stretched = new Set<number>();

  /** Notes a replacement: up to `sourceEnd` of the source is told by the first `resultEnd` characters of the result. */
  addEdit(resultEnd: number, sourceEnd: number): void {
    this.#resultOffsets.push(resultEnd);
    this.#sourceOffsets.push(sourceEnd);
  }

  /** Notes that a stretch of the source is told by a stretch of the result, which begins here: half of the one is half of the other. */
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
    // Inside a replacement that is longer than what it replaced, stop at its end.
    return Math.min(traced, this.#sourceOffsets[low] ?? traced);
  }
}
