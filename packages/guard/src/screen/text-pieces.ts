import type { TextRange } from "../text-range.ts";

/** The length of a piece that is evaluated at once. */
export const PIECE_CHARACTERS = 4096;
/** How much of a piece the next one repeats, so that nothing hides at a cut. */
const OVERLAP_CHARACTERS = 512;
/** A piece begins and ends at a word boundary if there is one within this many characters. */
const WORD_REACH = 64;

/** The pieces in which a long text is evaluated, in order. Where the cuts are depends on the text alone. */
export function* piecesOf(text: string): Generator<TextRange> {
  for (let start = 0; ; ) {
    const end = pieceEnd(text, start + PIECE_CHARACTERS);
    yield { start, end };
    if (end === text.length) return;
    start = pieceStart(text, end - OVERLAP_CHARACTERS);
  }
}

function pieceEnd(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length;
  for (let at = wanted; at > wanted - WORD_REACH; at -= 1) if (isSpace(text.charCodeAt(at))) return at;
  return isLowSurrogate(text.charCodeAt(wanted)) ? wanted - 1 : wanted;
}

function pieceStart(text: string, wanted: number): number {
  for (let at = wanted; at < wanted + WORD_REACH; at += 1) if (isSpace(text.charCodeAt(at))) return at + 1;
  return isLowSurrogate(text.charCodeAt(wanted)) ? wanted - 1 : wanted;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x3000;
}

/** Whether a cut before it would split a surrogate pair. */
function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
