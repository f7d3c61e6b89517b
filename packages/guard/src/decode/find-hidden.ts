import { RESUMABLE_MIN_CHARACTERS, type Resumable } from "../resumable.ts";
import { findBraille, findMorse, findPigLatin, findRadioSpelling } from "./alphabets.ts";
import { findBase64 } from "./base64.ts";
import { findEscapes } from "./escapes.ts";
import { findLeetspeak } from "./leetspeak.ts";
import { findLetterCiphers } from "./letter-ciphers.ts";
import { findCharacterCodes } from "./number-codes.ts";
import type { DecodedSpan } from "./piece.ts";
import { findRunOnWords } from "./run-on-words.ts";
import { findSpacedOutLetters } from "./spaced.ts";
import { findSplitWords } from "./split-words.ts";
import { scanForEncodings } from "./survey.ts";
import { findUpsideDownLetters } from "./turned-letters.ts";

const NON_ASCII_CHARACTER = /[^\0-\x7f]/;

/** Everything in a text that says something else than it shows, in order and without overlaps. */
export function* findEncodedSpans(text: string): Resumable<DecodedSpan[]> {
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
    for (
      let next = decodedSpans[old];
      next !== undefined && next.start < decodedSpan.end;
      next = decodedSpans[old]
    ) {
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
