import { foldCharacterCode, NO_CHARACTER } from "./characters.ts";
import { hashWord, hashWordPair, isBitSet, wordBucket } from "./feature-hashing.ts";

/**
 * Detects adversarial suffixes: fragments of words and symbols that an optimiser found by trial. Such a suffix has no
 * vocabulary to learn, so its shape is scored, together with the share of its word pairs that never occur elsewhere.
 */

/**
 * The number of characters at the end that are scored, and the larger range in which the start of the suffix is
 * searched.
 */
const SUFFIX_CHARACTERS = 110;
const SEARCH_CHARACTERS = 350;
/** Shorter texts have no suffix, and a shorter suffix does not count. */
const TEXT_CHARACTERS_MIN = 60;
const SUFFIX_CHARACTERS_MIN = 36;
/** Most texts have fewer symbols in unusual positions and are skipped. */
const UNUSUAL_POSITIONS_MIN = 4;
const FEATURE_MAX = 3;

const WORD_PAIR_BUCKETS = 1 << 19;
/** The size of the word pair table, and the number of features. */
export const WORD_PAIR_TABLE_BYTES = WORD_PAIR_BUCKETS / 8;
export const SUFFIX_FEATURES = 22;

/** The trained weights of the suffix detector. */
export interface SuffixWeights {
  /** A bit per bucket: whether two words occur side by side in harmless texts. */
  readonly pairs: Uint8Array;
  /** A bit per bucket: whether a word occurred in training. */
  readonly familiar: Uint8Array;
  /** One weight per feature; positive weights mark an unusual suffix. */
  readonly tail: Float32Array;
}

export interface UnusualSuffix {
  /** Greater than 0 for an unusual suffix. */
  readonly oddness: number;
  /** The range of the suffix. */
  readonly start: number;
  readonly end: number;
}

const [SPACE, LINE, SIGN, LOWERCASE, CAPITAL, DIGIT, OTHER] = [0, 1, 2, 3, 4, 5, 6];

/** A word, or a run of symbols. */
interface Token {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly isWord: boolean;
  readonly isLatin: boolean;
  readonly caseChanges: number;
  /** The hash of a word; 0 for symbols. */
  readonly hash: number;
}

/** undefined: the end of the text is ordinary. */
export function findUnusualSuffix(text: string, weights: SuffixWeights): UnusualSuffix | undefined {
  const last = endOfVisibleText(text);
  const from = Math.max(0, last - SEARCH_CHARACTERS);
  const end = text.slice(from, last);
  if (end.length < TEXT_CHARACTERS_MIN) return undefined;
  const features = suffixFeatures(end, weights);
  if (features === undefined) return undefined;
  let oddness = 0;
  for (let at = 0; at < SUFFIX_FEATURES; at++) oddness += (features[at] ?? 0) * (weights.tail[at] ?? 0);
  if (oddness <= 0) return undefined;
  const start = findSuffixStart(end, weights);
  if (end.length - start < SUFFIX_CHARACTERS_MIN) return undefined;
  return { oddness, start: from + start, end: last };
}

/** The end of the text without trailing invisible characters and white space. */
function endOfVisibleText(text: string): number {
  let end = text.length;
  while (end > 0) {
    const code = foldCharacterCode(text.charCodeAt(end - 1));
    if (code !== NO_CHARACTER && code !== 32 && code !== 10) break;
    end--;
  }
  return end;
}

/** The features of the end of a text; undefined where it has hardly any symbol in an unusual position. */
export function suffixFeatures(
  text: string,
  { pairs, familiar }: Omit<SuffixWeights, "tail">,
): Float32Array | undefined {
  const suffix = text.slice(-SUFFIX_CHARACTERS);
  if (countUnusualPositions(suffix) < UNUSUAL_POSITIONS_MIN) return undefined;
  const tokens = tokensOf(suffix);
  let words = 0;
  let latin = 0;
  let unknown = 0;
  let newPairs = 0;
  let changes = 0;
  let runs = 0;
  let mixedRuns = 0;
  let joined = 0;
  let between = 0;
  let lastWord: Token | undefined;
  const signs = new Set<number>();
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) continue;
    if (token.isWord) {
      if (lastWord !== undefined && !isKnownPair(lastWord, token, pairs)) newPairs++;
      words++;
      if (token.isLatin) {
        latin++;
        if (isUnknownWord(token, familiar)) unknown++;
      }
      changes += token.caseChanges;
      lastWord = token;
      continue;
    }
    const { length } = token.text;
    for (let sign = 0; sign < length; sign++) signs.add(token.text.charCodeAt(sign));
    if (length > 1) {
      runs++;
      if (new Set(token.text).size > 1) mixedRuns++;
    }
    if (tokens[at + 1]?.start !== token.end) continue;
    joined++;
    if (length === 1 && lastWord?.end === token.start) between++;
  }
  const count = Math.max(1, words);
  const size = suffix.length + 1;
  const unknownShare = unknown / Math.max(1, latin);
  const newPairShare = newPairs / Math.max(1, words - 1);
  const kinds = signs.size / 10;
  const caseChanges = (2 * changes) / count;
  const of = countKinds(suffix);
  const spaces = (3 * (of[SPACE] ?? 0)) / size;
  return Float32Array.of(
    1,
    unknownShare,
    newPairShare,
    (3 * (of[SIGN] ?? 0)) / size,
    kinds,
    joined / count,
    between / count,
    caseChanges,
    runs / count,
    mixedRuns / count,
    (2 * (of[CAPITAL] ?? 0)) / size,
    (of[DIGIT] ?? 0) / size,
    (20 * (of[LINE] ?? 0)) / size,
    (of[OTHER] ?? 0) / size,
    spaces,
    unknownShare * newPairShare,
    (newPairShare * joined) / count,
    newPairShare * caseChanges,
    newPairShare * kinds,
    kinds * caseChanges,
    kinds * spaces,
    newPairShare * newPairShare,
  ).map((value) => Math.min(FEATURE_MAX, value));
}

/** The start that maximises the evidence for an unusual suffix. */
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

/** Counts symbols next to symbols or before letters, and capitals inside words. */
function countUnusualPositions(text: string): number {
  let count = 0;
  let last = SPACE;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // As in "it's" and "well-known".
    if (last === LOWERCASE && (code === 39 || code === 45)) continue;
    const kind = characterKind(code);
    if (last === SIGN ? kind >= SIGN : last === LOWERCASE && kind === CAPITAL) count++;
    last = kind;
  }
  return count;
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
    let [end, caseChanges, isLatin, last] = [start, 0, first !== SIGN, first];
    for (; end < text.length; end++) {
      const kind = characterKind(text.charCodeAt(end));
      if (first === SIGN ? kind !== SIGN : kind <= SIGN) break;
      if (kind >= DIGIT) isLatin = false;
      if (last === LOWERCASE && kind === CAPITAL) caseChanges++;
      last = kind;
    }
    tokens.push({
      start,
      end,
      text: text.slice(start, end),
      isWord: first !== SIGN,
      isLatin,
      caseChanges,
      hash: first === SIGN ? 0 : hashWord(text.slice(start, end)),
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

function isUnknownWord({ hash, isLatin }: Token, familiar: Uint8Array): boolean {
  return isLatin && !isBitSet(familiar, wordBucket(hash));
}

function isKnownPair(first: Token | undefined, second: Token, pairs: Uint8Array): boolean {
  return first !== undefined && isBitSet(pairs, pairBucket(first.hash, second.hash));
}

/** The words of a text, as this detector tokenises it. */
export function wordsOf(text: string): string[] {
  return tokensOf(text).flatMap((token) => (token.isWord ? [token.text] : []));
}

/** The bucket of a word pair. */
export function wordPairBucket(first: string, second: string): number {
  return pairBucket(hashWord(first), hashWord(second));
}

function pairBucket(first: number, second: number): number {
  return hashWordPair(first, second) & (WORD_PAIR_BUCKETS - 1);
}
