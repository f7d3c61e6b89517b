import { foldCharacterCode, NO_CHARACTER } from "./fold-letter.ts";
import { BUCKET_BITS, HASH_MIX, HASH_PRIME } from "./piece-marks.ts";

/** Words and pairs of words as numbers, the same wherever they are met. */

/** The hash of a word before its first letter. */
export const EMPTY_WORD_HASH = 0x51ed270b;
const WORD_PAIR_SALT = 0x2545f491;

export function hashWord(word: string): number {
  let hash = EMPTY_WORD_HASH;
  for (let at = 0; at < word.length; at++) {
    const code = foldCharacterCode(word.charCodeAt(at));
    if (code !== NO_CHARACTER) hash = Math.imul(hash, HASH_PRIME) + code;
  }
  return mixHash(hash);
}

export function hashWordPair(first: number, second: number): number {
  return mixHash(Math.imul(first, 31) ^ second ^ WORD_PAIR_SALT);
}

/** Never 0, which stands for no word. */
export function mixHash(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  bits ^= bits >>> 12;
  return (bits === 0 ? 1 : bits) >>> 0;
}

export function wordBucket(hash: number): number {
  return Math.imul(hash, HASH_MIX) >>> (32 - BUCKET_BITS);
}
