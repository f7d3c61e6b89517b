import { latinise } from "./confusables.ts";
import { EditTrail } from "./edit-trail.ts";
import { type Fold, foldOf } from "./fold.ts";

/** A text as it reads, whatever it was written with. */
export interface NormalText {
  readonly text: string;
  /** The same before lower case and single spaces: what an encoding is read from. */
  readonly letters: string;
  /** What was undone of the things that hide words from a reader or a pattern. */
  readonly undone: readonly string[];
  /** The offset in the original of an offset in `text`. */
  originalOf(offset: number): number;
  /** The offset in the original of an offset in `letters`. */
  originalOfLetter(offset: number): number;
}

/** What there is to do about a character of the basic plane: found out once, remembered for good. */
const UNKNOWN = 0;
const STEADY = 1;
const FOLDED = 2;
const SURROGATE = 3;
const kinds = new Uint8Array(65_536);
kinds.fill(STEADY, 0, 128);
kinds.fill(SURROGATE, 0xd800, 0xe000);
const folds: (Fold | undefined)[] = Array.from({ length: 65_536 });

/** Of the other planes so many are remembered: nobody can fill the memory with rare ones. */
const RARE_FOLDS_MAX = 4096;
const rareFolds = new Map<number, Fold>();

const NOT_ASCII = /[^\0-\x7f]/;
const NOTHING: readonly string[] = [];

/** Rewrites a text the way a reader sees it: compatible forms, no hidden characters, one script a word, lower case, single spaces. */
export function normalise(original: string): NormalText {
  const first = original.search(NOT_ASCII);
  const undone = first === -1 ? undefined : new Set<string>();
  const letters = undone === undefined ? asItIs(original) : foldLetters(original, first, undone);
  const lower = letters.text.toLowerCase();
  const latin = undone === undefined ? lower : latinise(lower);
  if (latin !== lower) undone?.add("mixed-scripts");
  const spaced = tidySpace(latin);
  const seen = undone === undefined ? NOTHING : [...undone];
  const originalOfLetter = (offset: number) => letters.trail?.sourceOf(offset) ?? offset;
  return {
    text: spaced.text,
    letters: latin === lower ? letters.text : latin,
    undone: spaced.joins === 0 ? seen : [...seen, "broken-words"],
    originalOf: (offset) => originalOfLetter(spaced.trail?.sourceOf(offset) ?? offset),
    originalOfLetter,
  };
}

interface Rewritten {
  readonly text: string;
  /** undefined: every offset is as it was. */
  readonly trail: EditTrail | undefined;
}

function asItIs(text: string): Rewritten {
  return { text, trail: undefined };
}

function foldLetters(original: string, first: number, undone: Set<string>): Rewritten {
  let trail: EditTrail | undefined;
  let text = "";
  let copied = 0;
  for (let at = first; at < original.length; at += 1) {
    const code = original.charCodeAt(at);
    const kind = kindOf(code);
    if (kind === STEADY) continue;
    const fold = kind === FOLDED ? folds[code] : rareFold(original.codePointAt(at) ?? 0);
    if (fold === undefined) continue;
    const length = kind === FOLDED ? 1 : 2;
    if (fold.disguise !== undefined && isDisguise(fold, original, at)) undone.add(fold.disguise);
    text += original.slice(copied, at) + fold.text;
    copied = at + length;
    if (fold.text.length !== length) {
      trail ??= new EditTrail();
      trail.note(text.length, copied);
    }
    at = copied - 1;
  }
  return copied === 0 ? asItIs(original) : { text: text + original.slice(copied), trail };
}

function kindOf(code: number): number {
  const known = kinds[code] ?? UNKNOWN;
  if (known !== UNKNOWN) return known;
  const point = String.fromCharCode(code);
  const fold = foldOf(point);
  const kind = fold.text === point ? STEADY : FOLDED;
  kinds[code] = kind;
  folds[code] = fold;
  return kind;
}

/** Of a character outside the basic plane; undefined: it is left as it is, as half of one is. */
function rareFold(code: number): Fold | undefined {
  if (code < 0x10000) return undefined;
  const known = rareFolds.get(code);
  if (known !== undefined) return known;
  const fold = foldOf(String.fromCodePoint(code));
  if (rareFolds.size < RARE_FOLDS_MAX) rareFolds.set(code, fold);
  return fold;
}

/** Families of emoji and words of some scripts are joined by the same invisible characters that cut Latin words. */
function isDisguise(fold: Fold, original: string, at: number): boolean {
  return fold.disguise !== "zero-width" || (at > 0 && original.charCodeAt(at - 1) < 0x250);
}

/** White space that is more than one space, and the hyphen before it where a word may go on in the next line. */
const UNTIDY = /-(?:\s{2,}|\n)|\s{2,}|[\t\v\f\r]/g;
const HYPHEN = 45;

/**
 * Runs of white space become one space, or one line break where they held one: some rules look at line starts.
 * Words that a line break parts are put together.
 */
function tidySpace(source: string): Rewritten & { readonly joins: number } {
  let trail: EditTrail | undefined;
  let shift = 0;
  let joins = 0;
  const text = source.replace(UNTIDY, (run: string, at: number) => {
    const end = at + run.length;
    const tidy = tidyRun(run, source.charCodeAt(at - 1), source.charCodeAt(end));
    if (tidy === "") joins += 1;
    if (run.length !== tidy.length) {
      shift += tidy.length - run.length;
      trail ??= new EditTrail();
      trail.note(end + shift, end);
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
