import { isSet } from "./bit-table.ts";
import { foldLetter, NOTHING } from "./fold-letter.ts";
import { hashOfPair, hashOfWord, placeOfWord } from "./word-hash.ts";

/**
 * Whether a text ends in what nobody would write: pieces of words and signs that a machine found by trial. Such an end
 * has no words to learn, so that its shape is weighed, and how many of its words never stand side by side elsewhere.
 */

/** So much of the end is weighed, and in so much more the place is looked for where it begins. */
const TAIL = 110;
const REACH = 350;
/** A text that is no longer than this has no tail, and what is shorter than this is none. */
const TEXT_LEAST = 60;
const TAIL_LEAST = 36;
/** Most texts have fewer signs in odd places than this, and need not be looked at any further. */
const ODD_PLACES_LEAST = 4;
const FIGURE_MOST = 3;

const PAIR_PLACES = 1 << 19;
/** How large the table of pairs is, and how many figures are weighed. */
export const PAIR_BYTES = PAIR_PLACES / 8;
export const TAIL_FIGURES = 22;

/** What was learnt of tails. */
export interface TailWeights {
  /** One bit a place: whether two words stand side by side in harmless texts. */
  readonly pairs: Uint8Array;
  /** One bit a place: whether a word was met in training. */
  readonly familiar: Uint8Array;
  /** What each figure says for an odd tail. */
  readonly tail: Float32Array;
}

export interface Tail {
  /** Above 0 for an odd one. */
  readonly oddness: number;
  /** Where it begins and ends. */
  readonly start: number;
  readonly end: number;
}

const [SPACE, LINE, SIGN, SMALL, CAPITAL, DIGIT, OTHER] = [0, 1, 2, 3, 4, 5, 6];

/** A word, or signs that stand together. */
interface Token {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly isWord: boolean;
  readonly isLatin: boolean;
  readonly humps: number;
}

/** Nothing for a text whose end is like that of most. */
export function oddTailOf(text: string, weights: TailWeights): Tail | undefined {
  const last = endOfWords(text);
  const from = Math.max(0, last - REACH);
  const end = text.slice(from, last);
  if (end.length < TEXT_LEAST) return undefined;
  const figures = tailFigures(end, weights);
  if (figures === undefined) return undefined;
  let oddness = 0;
  for (let at = 0; at < TAIL_FIGURES; at++) oddness += (figures[at] ?? 0) * (weights.tail[at] ?? 0);
  if (oddness <= 0) return undefined;
  const start = startOfTail(end, weights);
  if (end.length - start < TAIL_LEAST) return undefined;
  return { oddness, start: from + start, end: last };
}

/** Where there is nothing more to be seen. */
function endOfWords(text: string): number {
  let end = text.length;
  while (end > 0) {
    const code = foldLetter(text.charCodeAt(end - 1));
    if (code !== NOTHING && code !== 32 && code !== 10) break;
    end--;
  }
  return end;
}

/** What is weighed of the end of a text; nothing where that has hardly a sign in an odd place. */
export function tailFigures(
  text: string,
  { pairs, familiar }: Omit<TailWeights, "tail">,
): Float32Array | undefined {
  const tail = text.slice(-TAIL);
  if (oddPlaces(tail) < ODD_PLACES_LEAST) return undefined;
  const tokens = tokensOf(tail);
  const words = tokens.filter(({ isWord }) => isWord);
  const signs = tokens.filter(({ isWord }) => !isWord);
  const runs = signs.filter(({ text: run }) => run.length > 1);
  const count = Math.max(1, words.length);
  const size = tail.length + 1;
  const latin = words.filter(({ isLatin }) => isLatin);
  const strange = latin.filter((word) => isStrange(word, familiar)).length / Math.max(1, latin.length);
  const unmet =
    words.filter((word, at) => at > 0 && !isMet(words[at - 1], word, pairs)).length /
    Math.max(1, words.length - 1);
  const joined = tokens.filter((token, at) => !token.isWord && tokens[at + 1]?.start === token.end);
  const between = joined.filter(
    ({ text: run, start }) => run.length === 1 && words.some(({ end }) => end === start),
  );
  const kinds = new Set(signs.map(({ text: run }) => run).join("")).size / 10;
  const humps = (2 * words.reduce((sum, word) => sum + word.humps, 0)) / count;
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
  ).map((value) => Math.min(FIGURE_MOST, value));
}

/** From where on there is most that speaks for an odd tail, and least against it. */
function startOfTail(text: string, { pairs, familiar }: TailWeights): number {
  const tokens = tokensOf(text);
  let [sum, most, start] = [0, 0, text.length];
  for (let at = tokens.length - 1; at > 0; at--) {
    const token = tokens[at];
    if (token === undefined) continue;
    if (!token.isWord) sum += token.text.length > 1 ? 1 : 0.3;
    else if (token.humps > 0 || tokens[at - 1]?.end === token.start || isStrange(token, familiar)) sum += 1;
    else sum += isMet(wordBefore(tokens, at), token, pairs) ? -1 : -0.2;
    if (sum > most) [most, start] = [sum, token.start];
  }
  return start;
}

function wordBefore(tokens: readonly Token[], at: number): Token | undefined {
  for (let before = at - 1; before >= 0; before--) if (tokens[before]?.isWord === true) return tokens[before];
  return undefined;
}

/** Signs that stand together or before a letter, and capitals within a word. */
function oddPlaces(text: string): number {
  let odd = 0;
  let last = SPACE;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // As in it's and well-known.
    if (last === SMALL && (code === 39 || code === 45)) continue;
    const kind = kindOf(code);
    if (last === SIGN ? kind >= SIGN : last === SMALL && kind === CAPITAL) odd++;
    last = kind;
  }
  return odd;
}

function countKinds(text: string): Int32Array {
  const counts = new Int32Array(OTHER + 1);
  for (let at = 0; at < text.length; at++) {
    const kind = kindOf(text.charCodeAt(at));
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let start = 0; start < text.length; ) {
    const first = kindOf(text.charCodeAt(start));
    if (first < SIGN) {
      start++;
      continue;
    }
    let [end, humps, isLatin, last] = [start, 0, first !== SIGN, first];
    for (; end < text.length; end++) {
      const kind = kindOf(text.charCodeAt(end));
      if (first === SIGN ? kind !== SIGN : kind <= SIGN) break;
      if (kind >= DIGIT) isLatin = false;
      if (last === SMALL && kind === CAPITAL) humps++;
      last = kind;
    }
    tokens.push({ start, end, text: text.slice(start, end), isWord: first !== SIGN, isLatin, humps });
    start = end;
  }
  return tokens;
}

function kindOf(code: number): number {
  if (isSmall(code)) return SMALL;
  if (code === 10) return LINE;
  if (code <= 32) return SPACE;
  if (code >= 65 && code <= 90) return CAPITAL;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code < 128) return SIGN;
  const folded = foldLetter(code);
  if (folded === 32) return SPACE;
  return folded < 128 && folded !== NOTHING && !isSmall(folded) ? SIGN : OTHER;
}

function isSmall(code: number): boolean {
  return code >= 97 && code <= 122;
}

function isStrange({ text, isLatin }: Token, familiar: Uint8Array): boolean {
  return isLatin && !isSet(familiar, placeOfWord(hashOfWord(text)));
}

function isMet(first: Token | undefined, second: Token, pairs: Uint8Array): boolean {
  return first !== undefined && isSet(pairs, placeOfPair(first.text, second.text));
}

/** The words of a text as they are looked at here. */
export function wordsOf(text: string): string[] {
  return tokensOf(text).flatMap((token) => (token.isWord ? [token.text] : []));
}

/** Where the bit of two words stands. */
export function placeOfPair(first: string, second: string): number {
  return hashOfPair(hashOfWord(first), hashOfWord(second)) & (PAIR_PLACES - 1);
}
