import { foldCharacterCode, NO_CHARACTER } from "./fold-letter.ts";

/** What words are made of, and what stands between them. */

export const LETTER = 1;
export const PUNCTUATION = 2;
/** By the code of a folded letter; whatever has a larger one is part of a word. */
export const CHARACTER_KINDS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-z0-9_]/.test(String.fromCharCode(code)) ? LETTER : PUNCTUATION,
);

/** Whether a letter, as it was given, is part of a word. */
export function isWordCharacter(given: number): boolean {
  const code = foldCharacterCode(given);
  return code >= 128 || (code !== NO_CHARACTER && CHARACTER_KINDS[code] === LETTER);
}
