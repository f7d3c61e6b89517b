import { codesOf } from "../text-codes.ts";

/** Words are compared by their first letters, so that forms of one word are the same; shorter words say nothing. */
const STEM_LETTERS = 5;
/** A Korean syllable is written as one character. */
const LETTERS_OF_SYLLABLE = 3;
/** With fewer words around a sentence, the subject of its document is unknown. */
const WORDS_AROUND_MIN = 12;
/** The share of the words of a usual harmless sentence that its document also has elsewhere. */
export const USUAL_SUBJECT_SHARE = 0.35;

/**
 * The share of the words of a sentence that its document also has elsewhere, from 0 to 1. An order that was put into a
 * document has other words than the document; an instruction that belongs to it speaks of the same things. The usual share
 * where that can't be said, and a little towards it, as a sentence has few words.
 */
export function subjectShare(text: string, start: number, end: number): number {
  const codes = codesOf(text);
  const isElsewhere = new Map<number, boolean>();
  forEachStem(codes, start, end, (stem) => isElsewhere.set(stem, false));
  if (isElsewhere.size === 0) return USUAL_SUBJECT_SHARE;
  let wordsAround = 0;
  let shared = 0;
  const compare = (stem: number) => {
    wordsAround++;
    if (isElsewhere.get(stem) !== false) return;
    isElsewhere.set(stem, true);
    shared++;
  };
  forEachStem(codes, 0, start, compare);
  forEachStem(codes, end, text.length, compare);
  if (wordsAround < WORDS_AROUND_MIN) return USUAL_SUBJECT_SHARE;
  return (shared + USUAL_SUBJECT_SHARE) / (isElsewhere.size + 1);
}

function forEachStem(codes: Uint16Array, from: number, to: number, onStem: (stem: number) => void): void {
  let letters = 0;
  let stem = 0;
  for (let at = from; at < to; at++) {
    const code = letterOf(codes[at] ?? 0);
    if (code === 0) {
      if (letters >= STEM_LETTERS) onStem(stem);
      letters = 0;
      stem = 0;
      continue;
    }
    if (letters < STEM_LETTERS) stem = (Math.imul(stem, 0x01000193) + code) | 0;
    letters += code >= 0xac00 ? LETTERS_OF_SYLLABLE : 1;
  }
  if (letters >= STEM_LETTERS) onStem(stem);
}

/** The lower-case letter of a script that separates words; 0: anything else. */
function letterOf(code: number): number {
  if (code < 0xc0) {
    const lower = code | 32;
    return lower >= 97 && lower <= 122 ? lower : 0;
  }
  if (code === 0xd7 || code === 0xf7) return 0;
  if (code <= 0xde || (code >= 0x391 && code <= 0x3a9) || (code >= 0x410 && code <= 0x42f)) return code + 32;
  // Up to the scripts of India, the further Latin and Greek letters, and Korean.
  const isLetter = code < 0xe00 || (code >= 0x1e00 && code < 0x2000) || (code >= 0xac00 && code <= 0xd7a3);
  return isLetter ? code : 0;
}
