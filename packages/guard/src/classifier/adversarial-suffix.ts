import { foldCharacterCode, NO_CHARACTER } from "./characters.ts";
import { hashWord, hashWordPair, isBitSet, wordBucket } from "./feature-hashing.ts";

/**
 * Whether a text ends in what nobody would write: pieces of words and signs that a machine found by trial. Such an end
 * has no words to learn, so that its shape is weighed, and how many of its words never stand side by side elsewhere.
 */

/** So much of the end is weighed, and in so much more the place is looked for where it begins. */
const SUFFIX_CHARACTERS = 110;
const SEARCH_CHARACTERS = 350;
/** A text that is no longer than this has no tail, and what is shorter than this is none. */
const TEXT_CHARACTERS_MIN = 60;
const SUFFIX_CHARACTERS_MIN = 36;
/** Most texts have fewer signs in odd places than this, and need not be looked at any further. */
const UNUSUAL_POSITIONS_MIN = 4;
const FEATURE_MAX = 3;

const WORD_PAIR_BUCKETS = 1 << 19;
/** How large the table of pairs is, and how many figures are weighed. */
export const WORD_PAIR_TABLE_BYTES = WORD_PAIR_BUCKETS / 8;
export const SUFFIX_FEATURES = 22;

/** What was learnt of tails. */
export interface SuffixWeights {
  /** One bit a place: whether two words stand side by side in harmless texts. */
  readonly pairs: Uint8Array;
  /** One bit a place: whether a word was met in training. */
  readonly familiar: Uint8Array;
  /** What each figure says for an odd tail. */
  readonly tail: Float32Array;
}

export interface UnusualSuffix {
  /** Above 0 for an odd one. */
  readonly oddness: number;
  /** Where it begins and ends. */
  readonly start: number;
  readonly end: number;
}

const [SPACE, LINE, SIGN, LOWERCASE, CAPITAL, DIGIT, OTHER] = [0, 1, 2, 3, 4, 5, 6];

/** A word, or signs that stand together. */
interface Token {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly isWord: boolean;
  readonly isLatin: boolean;
  readonly caseChanges: number;
}

/** Nothing for a text whose end is like that of most. */
export function findUnusualSuffix(text: string, weights: SuffixWeights): UnusualSuffix | undefined {
  const last = endOfVisibleText(text);
  const from = Math.max(0, last - SEARCH_CHARACTERS);
  const end = text.slice(from, last);
  if (end.length < TEXT_CHARACTERS_MIN) return undefined;
  const figures = suffixFeatures(end, weights);
  if (figures === undefined) return undefined;
  let oddness = 0;
  for (let at = 0; at < SUFFIX_FEATURES; at++) oddness += (figures[at] ?? 0) * (weights.tail[at] ?? 0);
  if (oddness <= 0) return undefined;
  const start = findSuffixStart(end, weights);
  if (end.length - start < SUFFIX_CHARACTERS_MIN) return undefined;
  return { oddness, start: from + start, end: last };
}

/** Where there is nothing more to be seen. */
function endOfVisibleText(text: string): number {
  let end = text.length;
  while (end > 0) {
    const code = foldCharacterCode(text.charCodeAt(end - 1));
    if (code !== NO_CHARACTER && code !== 32 && code !== 10) break;
    end--;
  }
  return end;
}

/** What is weighed of the end of a text; nothing where that has hardly a sign in an odd place. */
export function suffixFeatures(
  text: string,
  { pairs, familiar }: Omit<SuffixWeights, "tail">,
): Float32Array | undefined {
  const tail = text.slice(-SUFFIX_CHARACTERS);
  if (countUnusualPositions(tail) < UNUSUAL_POSITIONS_MIN) return undefined;
  const tokens = tokensOf(tail);
  const words = tokens.filter(({ isWord }) => isWord);
  const signs = tokens.filter(({ isWord }) => !isWord);
  const runs = signs.filter(({ text: run }) => run.length > 1);
  const count = Math.max(1, words.length);
  const size = tail.length + 1;
  const latin = words.filter(({ isLatin }) => isLatin);
  const strange = latin.filter((word) => isUnknownWord(word, familiar)).length / Math.max(1, latin.length);
  const unmet =
    words.filter((word, at) => at > 0 && !isKnownPair(words[at - 1], word, pairs)).length /
    Math.max(1, words.length - 1);
  const joined = tokens.filter((token, at) => !token.isWord && tokens[at + 1]?.start === token.end);
  const between = joined.filter(({ text: run, start }) => run.length === 1 && words.some(({ end }) => end === start));
  const kinds = new Set(signs.map(({ text: run }) => run).join("")).size / 10;
  const humps = (2 * words.reduce((sum, word) => sum + word.caseChanges, 0)) / count;
  const of = countKinds(tail);
  const spaces = (3 * (of[SPACE] ?? 0)) / size;
  return Float32Array.of(
    1,
    strange,
    unmet,
    (3 * (of[SIGN] ?? 0)) / size,
    kinds,
    joined.length / count,
    between.length / count,
    humps,
    runs.length / count,
    runs.filter(({ text: run }) => new Set(run).size > 1).length / count,
    (2 * (of[CAPITAL] ?? 0)) / size,
    (of[DIGIT] ?? 0) / size,
    (20 * (of[LINE] ?? 0)) / size,
    (of[OTHER] ?? 0) / size,
    spaces,
    strange * unmet,
    (unmet * joined.length) / count,
    unmet * humps,
    unmet * kinds,
    kinds * humps,
    kinds * spaces,
    unmet * unmet,
  ).map((value) => Math.min(FEATURE_MAX, value));
}

/** From where on there is most that speaks for an odd tail, and least against it. */
function findSuffixStart(text: string, { pairs, familiar }: SuffixWeights): number {
  const tokens = tokensOf(text);
  let [sum, most, start] = [0, 0, text.length];
  for (let at = tokens.length - 1; at > 0; at--) {
    const token = tokens[at];
    if (token === undefined) continue;
    if (!token.isWord) sum += token.text.length > 1 ? 1 : 0.3;
    else if (token.caseChanges > 0 || tokens[at - 1]?.end === token.start || isUnknownWord(token, familiar)) sum += 1;
    else sum += isKnownPair(wordBefore(tokens, at), token, pairs) ? -1 : -0.2;
    if (sum > most) [most, start] = [sum, token.start];
  }
  return start;
}

function wordBefore(tokens: readonly Token[], at: number): Token | undefined {
  for (let before = at - 1; before >= 0; before--) if (tokens[before]?.isWord === true) return tokens[before];
  return undefined;
}

/** Signs that stand together or before a letter, and capitals within a word. */
function countUnusualPositions(text: string): number {
  let odd = 0;
  let last = SPACE;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // As in it's and well-known.
    if (last === LOWERCASE && (code === 39 || code === 45)) continue;
    const kind = characterKind(code);
    if (last === SIGN ? kind >= SIGN : last === LOWERCASE && kind === CAPITAL) odd++;
    last = kind;
  }
  return odd;
}

function countKinds(text: string): Int32Array {
  const counts = new Int32Array(OTHER + 1);
  for (let at = 0; at < text.length; at++) {
    const kind = characterKind(text.charCodeAt(at));
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let start = 0; start < text.length; ) {
    const first = characterKind(text.charCodeAt(start));
    if (first < SIGN) {
      start++;
      continue;
    }
    let [end, humps, isLatin, last] = [start, 0, first !== SIGN, first];
    for (; end < text.length; end++) {
      const kind = characterKind(text.charCodeAt(end));
      if (first === SIGN ? kind !== SIGN : kind <= SIGN) break;
      if (kind >= DIGIT) isLatin = false;
      if (last === LOWERCASE && kind === CAPITAL) humps++;
      last = kind;
    }
    tokens.push({
      start,
      end,
      text: text.slice(start, end),
      isWord: first !== SIGN,
      isLatin,
      caseChanges: humps,
    });
    start = end;
  }
  return tokens;
}

function characterKind(code: number): number {
  if (isLowercase(code)) return LOWERCASE;
  if (code === 10) return LINE;
  if (code <= 32) return SPACE;
  if (code >= 65 && code <= 90) return CAPITAL;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code < 128) return SIGN;
  const folded = foldCharacterCode(code);
  if (folded === 32) return SPACE;
  return folded < 128 && folded !== NO_CHARACTER && !isLowercase(folded) ? SIGN : OTHER;
}

function isLowercase(code: number): boolean {
  return code >= 97 && code <= 122;
}

function isUnknownWord({ text, isLatin }: Token, familiar: Uint8Array): boolean {
  return isLatin && !isBitSet(familiar, wordBucket(hashWord(text)));
}

function isKnownPair(first: Token | undefined, second: Token, pairs: Uint8Array): boolean {
  return first !== undefined && isBitSet(pairs, wordPairBucket(first.text, second.text));
}

/** The words of a text as they are looked at here. */
export function wordsOf(text: string): string[] {
  return tokensOf(text).flatMap((token) => (token.isWord ? [token.text] : []));
}

/** Where the bit of two words stands. */
export function wordPairBucket(first: string, second: string): number {
  return hashWordPair(hashWord(first), hashWord(second)) & (WORD_PAIR_BUCKETS - 1);
}
