import { OVERLAP_CHARACTERS, PIECE_CHARACTERS } from "../src/screen/evaluate-text.ts";

/** The pieces in which a text is evaluated: a longer one is evaluated piece by piece. */
export function piecesOf(text: string): string[] {
  const pieces = [text.slice(0, PIECE_CHARACTERS)];
  for (let end = PIECE_CHARACTERS; end < text.length; end += PIECE_CHARACTERS - OVERLAP_CHARACTERS)
    pieces.push(text.slice(end - OVERLAP_CHARACTERS, end - OVERLAP_CHARACTERS + PIECE_CHARACTERS));
  return pieces;
}
