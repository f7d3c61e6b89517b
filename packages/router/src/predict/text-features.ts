import {
  BUCKET_COUNT,
  bucketOf,
  COMMON,
  COMPARED,
  COUNTED_WORDS,
  KINDS,
  PART,
  PRIME,
  REFERRING,
  SEED,
  SHAPE_BUCKET_COUNT,
  WORD,
} from "./counted-words.ts";
import { isUnspaced, PLAIN_CODES } from "./plain-codes.ts";

/**
 * Hashed features of a text as buckets of a table of weights: words, word pairs, stems, numbers, signs and shape. One
 * pass over a bounded part without strings or regular expressions, because it runs for every request.
 */

/** How much of a long text is read: its start tells the topic, its end the question. */
export const HEAD_CHARS = 1_200;
export const TAIL_CHARS = 500;

/** The number of counters, in the order at the end of `scanText`. */
const COUNTER_COUNT = 19;

const LETTER = 1;
const DIGIT = 2;
const SPACE = 3;
const SIGN = 4;
const APOSTROPHE = 39;

const NUMBER = 0x77;
const START = 0x1234;

/** Salts for the different features of one word. */
const WORD_PAIR = 2;
const STEM = 3;
const DIGITS = 4;
const SIGNS = 5;
const FIRST = 6;
const CHARACTER_PAIR = 7;
const STEM_LETTERS = 5;
/** A word of more letters in a script without spaces is several words, and only its pairs of letters are features. */
const UNSPACED_WORD_LETTERS = 8;

/** After a line break, the next two characters are read. */
const LOOKAHEAD_CHARS = 2;
const TAIL_START = HEAD_CHARS + LOOKAHEAD_CHARS;
const MAX_ROUND = 255;
/** Up to this length, copying a text character by character takes less than a call of Node's functions. */
const SHORT_TEXT_MAX = 384;

/** The features of one text. The object is reused for the next text. */
export interface HashedFeatures {
  /** The buckets of the text, each once. */
  readonly buckets: Uint16Array;
  size: number;
  /** The length of the whole text in characters. */
  length: number;
  readonly counters: Float64Array;
}

/** More than any text has. */
export const MAX_BUCKETS = 4 * (HEAD_CHARS + TAIL_CHARS);

export function createHashedFeatures(buckets: Uint16Array = new Uint16Array(MAX_BUCKETS)): HashedFeatures {
  return {
    buckets,
    size: 0,
    length: 0,
    counters: new Float64Array(COUNTER_COUNT),
  };
}

const CHARACTER_KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code);
  if (/[a-z]/i.test(letter)) return LETTER;
  if (/[0-9]/.test(letter)) return DIGIT;
  return code <= 32 ? SPACE : SIGN;
});
/** The characters of words as they are hashed: letters in lower case, and the apostrophe. 0: ends a word. */
const WORD_CHARACTERS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === APOSTROPHE) return code;
  return CHARACTER_KINDS[code] === LETTER ? code | 32 : 0;
});

/** The last text in which a bucket was found, so that each counts once. One byte each, to stay in the processor's cache. */
const lastSeenIn = new Uint8Array(BUCKET_COUNT);
const rounds = { last: 0 };

/** Appends a bucket that the text does not have yet. Returns the new number of buckets. */
function addBucket(place: number, buckets: Uint16Array, size: number, round: number): number {
  if (lastSeenIn[place] === round) return size;
  lastSeenIn[place] = round;
  buckets[size] = place;
  return size + 1;
}

/** The part of a text that is read, as numbers: reading them from a string takes several times as long. */
const codes = new Uint16Array(TAIL_START + TAIL_CHARS + LOOKAHEAD_CHARS);
const codeBytes = Buffer.from(codes.buffer);
const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Copies the characters of a text that are read. Zeros follow, as characters after the end of the text. */
function copyCodes(text: string, isCut: boolean): void {
  let end = text.length;
  if (end <= SHORT_TEXT_MAX) {
    for (let at = 0; at < end; at++) codes[at] = text.charCodeAt(at);
    codes[end] = 0;
    codes[end + 1] = 0;
    return;
  }
  if (isCut) {
    codeBytes.write(text, 0, 2 * TAIL_START, "utf16le");
    codeBytes.write(text.slice(-TAIL_CHARS), 2 * TAIL_START, 2 * TAIL_CHARS, "utf16le");
    end = TAIL_START + TAIL_CHARS;
  } else codeBytes.write(text, 0, 2 * end, "utf16le");
  if (!isLittleEndian) codeBytes.swap16();
  codes[end] = 0;
  codes[end + 1] = 0;
}

export function hashTextFeatures(text: string, hashedFeatures: HashedFeatures): void {
  if (rounds.last === MAX_ROUND) {
    lastSeenIn.fill(0);
    rounds.last = 0;
  }
  const round = ++rounds.last;
  const { buckets } = hashedFeatures;
  let size = 0;
  const length = text.length;
  const isCut = length > HEAD_CHARS + TAIL_CHARS;
  copyCodes(text, isCut);
  let words = 0;
  let letters = 0;
  let numbers = 0;
  let sentences = 0;
  let questions = 0;
  let commas = 0;
  let newlines = 0;
  let options = 0;
  let capitals = 0;
  let common = 0;
  let parts = 0;
  let compared = 0;
  let formulas = 0;
  let brackets = 0;
  let sums = 0;
  let quotes = 0;
  let foreign = 0;
  let said = 0;
  let references = 0;
  let before = START;
  let isAfterNumber = false;

  for (let part = 0; part < (isCut ? 2 : 1); part++) {
    const end = !isCut ? length : part === 0 ? HEAD_CHARS : TAIL_START + TAIL_CHARS;
    let at = part === 0 ? 0 : TAIL_START;
    while (at < end) {
      let code = codes[at] ?? 0;
      if (code >= 128) code = PLAIN_CODES[code] ?? 0;
      if (isUnspaced(code)) {
        const start = at;
        let hash = SEED;
        let previous = 0;
        do {
          if (previous !== 0)
            size = addBucket(bucketOf(Math.imul(previous, PRIME) ^ code, CHARACTER_PAIR), buckets, size, round);
          previous = code;
          hash = Math.imul(hash ^ code, PRIME);
          at++;
          code = codes[at] ?? 0;
          if (code >= 128) code = PLAIN_CODES[code] ?? 0;
        } while (at < end && isUnspaced(code));
        const length = at - start;
        foreign += length;
        letters += length;
        words += (length + 1) >> 1;
        const alone = bucketOf(hash, WORD);
        const counted = COUNTED_WORDS[alone] ?? 0;
        if (counted === 0) said += (length + 1) >> 1;
        else if ((counted & REFERRING) !== 0) references++;
        if (length <= UNSPACED_WORD_LETTERS) size = addBucket(alone, buckets, size, round);
        before = hash;
        isAfterNumber = false;
        continue;
      }
      const kind = code < 128 ? CHARACTER_KINDS[code] : LETTER;
      if (kind === LETTER) {
        const start = at;
        let hash = SEED;
        let stem = 0;
        if (code >= 65 && code <= 90) capitals++;
        do {
          if (code >= 128) {
            if (isUnspaced(code)) break;
            foreign++;
          } else {
            code = WORD_CHARACTERS[code] ?? 0;
            if (code === 0) break;
          }
          hash = Math.imul(hash ^ code, PRIME);
          at++;
          if (at - start === STEM_LETTERS) stem = hash;
          code = codes[at] ?? 0;
          if (code >= 128) code = PLAIN_CODES[code] ?? 0;
        } while (at < end);
        letters += at - start;
        words++;
        const alone = bucketOf(hash, WORD);
        const counted = COUNTED_WORDS[alone] ?? 0;
        if (counted === 0) said++;
        else {
          const kind = counted & KINDS;
          if (kind === COMMON) common++;
          else if (kind === PART) parts++;
          else if (kind === COMPARED) compared++;
          if ((counted & REFERRING) !== 0) references++;
        }
        size = addBucket(alone, buckets, size, round);
        const both = Math.imul(hash, 31) ^ before;
        size = addBucket(bucketOf(both, WORD_PAIR), buckets, size, round);
        if (at - start > STEM_LETTERS) size = addBucket(bucketOf(stem, STEM), buckets, size, round);
        if (words <= 2) size = addBucket(bucketOf(both, FIRST), buckets, size, round);
        before = hash;
        isAfterNumber = false;
        continue;
      }
      if (kind === DIGIT) {
        const start = at;
        do at++;
        while (at < end && isNumberCharacter(PLAIN_CODES[codes[at] ?? 0] ?? 0));
        numbers++;
        said++;
        size = addBucket(bucketOf(Math.min(5, at - start), DIGITS), buckets, size, round);
        size = addBucket(bucketOf(Math.imul(NUMBER, 31) ^ before, WORD_PAIR), buckets, size, round);
        before = NUMBER;
        isAfterNumber = true;
        continue;
      }
      if (kind === SIGN) {
        size = addBucket(bucketOf(code, SIGNS), buckets, size, round);
        switch (code) {
          case 46: // .
          case 33: // !
            if (!isAfterNumber) sentences++;
            break;
          case 63: // ?
            sentences++;
            questions++;
            break;
          case 44: // ,
            commas++;
            break;
          case 36: // $
          case 92: // \
          case 94: // ^
            formulas++;
            before = code;
            break;
          case 34: // "
            quotes++;
            break;
          case 37: // %
            parts++;
            sums++;
            break;
          case 47: // /
            if (isAfterNumber) parts++;
            sums++;
            break;
          case 42: // *
          case 43: // +
          case 45: // -
            sums++;
            break;
          case 40: // (
          case 59: // ;
          case 61: // =
          case 91: // [
          case 95: // _
          case 123: // {
            brackets++;
            break;
        }
        isAfterNumber = false;
      } else if (code === 10) {
        newlines++;
        if (isLetteredOption(codes[at + 1] ?? 0, codes[at + 2] ?? 0)) options++;
      }
      at++;
    }
  }
  hashedFeatures.length = length;
  hashedFeatures.size = size;
  const { counters: counts } = hashedFeatures;
  counts[0] = words;
  counts[1] = letters;
  counts[2] = numbers;
  counts[3] = sentences;
  counts[4] = questions;
  counts[5] = commas;
  counts[6] = newlines;
  counts[7] = options;
  counts[8] = capitals;
  counts[9] = common;
  counts[10] = parts;
  counts[11] = compared;
  counts[12] = formulas;
  counts[13] = brackets;
  counts[14] = sums;
  counts[15] = quotes;
  counts[16] = foreign;
  counts[17] = said;
  counts[18] = references;
}

function isNumberCharacter(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46 || code === 44;
}

/** `A.` to `J.` or `A)` to `J)` where a line starts. */
function isLetteredOption(letter: number, mark: number): boolean {
  return letter >= 65 && letter <= 74 && (mark === 46 || mark === 41);
}

/** The shape of a text in two forms: buckets for ranges, and numeric features around 0. */

const BINS = 8;
export const SHAPE_FEATURE_COUNT = 21;
export const NUMERIC_FEATURE_COUNT = 13;

if (SHAPE_FEATURE_COUNT * BINS > SHAPE_BUCKET_COUNT)
  throw new Error("The shape needs more places than there are for it.");

/** Writes the buckets of the shape, one for each aspect. */
export function writeShapeBuckets({ counters: counts, length }: HashedFeatures, into: Uint16Array): void {
  const words = counts[0] ?? 0;
  const numbers = counts[2] ?? 0;
  const sentences = counts[3] ?? 0;
  const commas = counts[5] ?? 0;
  const each = 1 / (words + 1);
  const span = Math.log2(length + 1);
  into[0] = shapeBucket(0, (span - 3) / 0.75);
  into[1] = shapeBucket(1, (span - 6) / 0.4);
  into[2] = shapeBucket(2, log2Step(words));
  into[3] = shapeBucket(3, log2Step(numbers));
  into[4] = shapeBucket(4, numbers);
  into[5] = shapeBucket(5, sentences);
  into[6] = shapeBucket(6, log2Step(sentences));
  into[7] = shapeBucket(7, counts[7] ?? 0);
  into[8] = shapeBucket(8, log2Step(counts[6] ?? 0));
  into[9] = shapeBucket(9, log2Step(counts[12] ?? 0));
  into[10] = shapeBucket(10, log2Step(counts[13] ?? 0));
  into[11] = shapeBucket(11, log2Step(commas));
  into[12] = shapeBucket(12, counts[4] ?? 0);
  into[13] = shapeBucket(13, log2Step(counts[15] ?? 0));
  into[14] = shapeBucket(14, log2Step(counts[14] ?? 0));
  into[15] = shapeBucket(15, ((counts[8] ?? 0) * each) / 0.1);
  into[16] = shapeBucket(16, (commas * each) / 0.08);
  into[17] = shapeBucket(17, ((counts[9] ?? 0) * each) / 0.06);
  into[18] = shapeBucket(18, (numbers * each) / 0.04);
  into[19] = shapeBucket(19, ((counts[1] ?? 0) * each - 3) / 0.4);
  into[20] = shapeBucket(20, words / (sentences + 1) / 5);
}

function shapeBucket(aspect: number, bin: number): number {
  return aspect * BINS + Math.max(0, Math.min(BINS - 1, Math.floor(bin)));
}

/** Writes the numeric features, each around 0 and rarely above 2. */
export function writeNumericFeatures(
  { counters: counts, length }: HashedFeatures,
  into: number[] | Float64Array,
): void {
  const words = counts[0] ?? 0;
  const numbers = counts[2] ?? 0;
  const sentences = counts[3] ?? 0;
  const each = 1 / (words + 1);
  into[0] = 1;
  into[1] = (Math.log2(length + 1) - 8) / 1.5;
  into[2] = (Math.log2(words + 1) - 5.5) / 1.5;
  into[3] = Math.log2(numbers + 1) - 1.5;
  into[4] = Math.log2(sentences + 1) - 1.5;
  into[5] = (counts[1] ?? 0) * each - 4.3;
  into[6] = Math.min(counts[7] ?? 0, 10) / 5 - 0.8;
  into[7] = ((counts[9] ?? 0) * each - 0.25) * 5;
  into[8] = Math.log2(words / (sentences + 1) + 1) - 3.5;
  into[9] = (numbers * each - 0.1) * 5;
  into[10] = Math.log2((counts[10] ?? 0) + 1) - 0.4;
  into[11] = Math.log2((counts[11] ?? 0) + 1) - 0.5;
  into[12] = Math.log2((counts[5] ?? 0) + 1) - 1;
}

function log2Step(count: number): number {
  return count === 0 ? 0 : 1 + Math.log2(count);
}
