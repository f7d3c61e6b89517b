import { STEP_CHARACTERS, type Steps } from "../resumable.ts";
import { findBraille, findMorse, findPigLatin, findRadioSpelling } from "./alphabets.ts";
import { findBlobs } from "./base64.ts";
import { findEscapes } from "./escapes.ts";
import { findLeetspeak } from "./leetspeak.ts";
import { findShifted } from "./letter-ciphers.ts";
import { findNumberCodes } from "./number-codes.ts";
import type { Piece } from "./piece.ts";
import { findRunOnWords } from "./run-on-words.ts";
import { findSpaced } from "./spaced.ts";
import { findSplitWords } from "./split-words.ts";
import { survey } from "./survey.ts";
import { findTurnedLetters } from "./turned-letters.ts";

const NOT_ASCII = /[^\0-\x7f]/;

/** Everything in a text that says something else than it shows, in order and without overlaps. */
export function* findHidden(text: string): Steps<Piece[]> {
  const isLong = text.length >= STEP_CHARACTERS;
  const seen = survey(text);
  const pieces: Piece[] = [];
  // What leaves no doubt comes first: of pieces that overlap, the earlier in this list counts.
  if (isLong) yield;
  take(pieces, findEscapes(text, seen));
  if (isLong) yield;
  if (seen.longTokens.length > 0) take(pieces, findBlobs(text, seen));
  if (isLong) yield;
  if (seen.digitRuns.length > 0) take(pieces, findNumberCodes(text, seen));
  if (isLong) yield;
  if (seen.dotRuns.length > 0) take(pieces, findMorse(text, seen));
  take(pieces, findRadioSpelling(text, seen));
  if (isLong) yield;
  if (seen.spacedRuns.length > 0) take(pieces, findSpaced(text, seen));
  if (NOT_ASCII.test(text)) {
    take(pieces, findBraille(text));
    if (isLong) yield;
    take(pieces, findTurnedLetters(text));
  }
  if (isLong) yield;
  take(pieces, findPigLatin(text, seen));
  if (isLong) yield;
  if (seen.oddStretches.length > 0) take(pieces, findShifted(text, seen));
  if (isLong) yield;
  if (seen.leetTokens.length > 0) take(pieces, findLeetspeak(text, seen));
  if (isLong) yield;
  take(pieces, findSplitWords(text, seen));
  if (isLong) yield;
  take(pieces, findRunOnWords(text, seen));
  return pieces;
}

/** Merges two lists that are each in order, dropping the new pieces that overlap an old one. */
function take(pieces: Piece[], found: readonly Piece[]): void {
  if (found.length === 0) return;
  const fresh = found.toSorted((a, b) => a.start - b.start);
  const merged: Piece[] = [];
  let old = 0;
  let end = 0;
  for (const piece of fresh) {
    for (let next = pieces[old]; next !== undefined && next.start < piece.end; next = pieces[old]) {
      merged.push(next);
      end = Math.max(end, next.end);
      old += 1;
    }
    if (piece.start < end) continue;
    merged.push(piece);
    end = piece.end;
  }
  for (; old < pieces.length; old += 1) {
    const next = pieces[old];
    if (next !== undefined) merged.push(next);
  }
  pieces.length = 0;
  for (const piece of merged) pieces.push(piece);
}
