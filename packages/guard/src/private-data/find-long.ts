import type { Resumable } from "../resumable.ts";
import type { PrivateValue } from "./private-value.ts";

/** Looks for values in a text, step by step. */
export type FindValues = (text: string) => Resumable<readonly PrivateValue[]>;

/** What is looked through as one text. */
const PIECE_CHARACTERS = 16_384;
/** How much of a piece the next one reads again, for the words that say what a value is. */
const OVERLAP_CHARACTERS = 512;

/** The values in a text of any length, piece by piece. */
export function* findInLongText(findValues: FindValues, text: string): Resumable<readonly PrivateValue[]> {
  if (text.length <= PIECE_CHARACTERS) return yield* findValues(text);
  const found: PrivateValue[] = [];
  let start = 0;
  let known = 0;
  let size = PIECE_CHARACTERS;
  for (;;) {
    const end = Math.min(text.length, start + size);
    const isLast = end === text.length;
    const here = (yield* findValues(text.slice(start, end))).map((datum) => ({
      ...datum,
      start: datum.start + start,
      end: datum.end + start,
    }));
    // What stands near the cut is left to the next piece, which sees all of it.
    const cut = isLast ? end : end - OVERLAP_CHARACTERS;
    const open = here.find((datum) => datum.end > cut && datum.start >= known);
    const until = isLast ? end : Math.min(cut, open?.start ?? cut);
    const next = until - OVERLAP_CHARACTERS;
    if (isLast || next > start) {
      found.push(...here.filter((datum) => datum.start >= known && datum.start < until));
      if (isLast) return found;
      known = Math.max(until, found.at(-1)?.end ?? 0);
      start = next;
      size = PIECE_CHARACTERS;
    } else {
      // A value as long as the piece: half of it would be sent, so the piece grows until it holds all of it.
      size *= 2;
    }
    yield;
  }
}
