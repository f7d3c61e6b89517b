import { CARRYING_ON_WORDS, REFERRING_WORDS } from "./follow-up-words.ts";

/** The buckets of the table: the first are for the shape, the rest for words. */
export const BUCKET_COUNT = 1 << 14;
export const SHAPE_BUCKET_COUNT = 256;

/** The start and the factor of the hash of a word. Signed as all hashes are, else V8 computes each of them as a double. */
export const SEED = 0x811c9dc5 | 0;
export const PRIME = 0x01000193;

/** The salt of a word that stands alone. */
export const WORD = 1;

/** Words that are counted, by their bucket: one of the first three kinds, and whether they carry on or refer to something. */
export const COMMON = 1;
export const PART = 2;
export const COMPARED = 3;
export const KINDS = 3;
const CARRYING_ON = 4;
export const REFERRING = 8;

export function bucketOf(hash: number, salt: number): number {
  let mixed = Math.imul(hash ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  mixed ^= mixed >>> 16;
  return SHAPE_BUCKET_COUNT + ((mixed >>> 0) % (BUCKET_COUNT - SHAPE_BUCKET_COUNT));
}

export const COUNTED_WORDS = new Uint8Array(BUCKET_COUNT);
for (const [kind, words] of [
  [COMMON, "the of and a to in is for that with as on it are by from be an at this or which what how"],
  [PART, "half third quarter twice thrice double triple percent halves thirds quarters"],
  [COMPARED, "times more than fewer less"],
] as const) {
  for (const word of words.split(" ")) COUNTED_WORDS[bucketOfWord(word)] = kind;
}
for (const [kind, words] of [
  [CARRYING_ON, CARRYING_ON_WORDS],
  [REFERRING, REFERRING_WORDS],
] as const) {
  for (const word of words) {
    const place = bucketOfWord(word);
    COUNTED_WORDS[place] = (COUNTED_WORDS[place] ?? 0) | kind;
  }
}

/** The bucket of a word in lower case. */
function bucketOfWord(word: string): number {
  let hash = SEED;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), PRIME);
  return bucketOf(hash, WORD);
}
