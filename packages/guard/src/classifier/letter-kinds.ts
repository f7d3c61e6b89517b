import { foldLetter, NOTHING } from "./fold-letter.ts";

/** What words are made of, and what stands between them. */

export const LETTER = 1;
export const SIGN = 2;
/** By the code of a folded letter; whatever has a larger one is part of a word. */
export const KIND = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-z0-9_]/.test(String.fromCharCode(code)) ? LETTER : SIGN,
);

/** Whether a letter, as it was given, is part of a word. */
export function isLetter(given: number): boolean {
  const code = foldLetter(given);
  return code >= 128 || (code !== NOTHING && KIND[code] === LETTER);
}
