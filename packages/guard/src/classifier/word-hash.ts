import { foldLetter, NOTHING } from "./fold-letter.ts";
import { MIX, PLACE_BITS, PRIME } from "./piece-marks.ts";

/** Words and pairs of words as numbers, the same wherever they are met. */

/** The hash of a word before its first letter. */
export const NO_LETTERS = 0x51ed270b;
const PAIR = 0x2545f491;

export function hashOfWord(word: string): number {
  let hash = NO_LETTERS;
  for (let at = 0; at < word.length; at++) {
    const code = foldLetter(word.charCodeAt(at));
    if (code !== NOTHING) hash = Math.imul(hash, PRIME) + code;
  }
  return mixed(hash);
}

export function hashOfPair(first: number, second: number): number {
  return mixed(Math.imul(first, 31) ^ second ^ PAIR);
}

/** Never 0, which stands for no word. */
export function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  bits ^= bits >>> 12;
  return (bits === 0 ? 1 : bits) >>> 0;
}

export function placeOfWord(hash: number): number {
  return Math.imul(hash, MIX) >>> (32 - PLACE_BITS);
}
