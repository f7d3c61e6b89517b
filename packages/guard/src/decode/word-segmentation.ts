import { letterIndex } from "./fluency.ts";
import { WORD_LIST } from "./word-list.ts";

let cachedRanks: ReadonlyMap<string, number> | undefined;

/** Every word of the list with its place in it. Made when first needed: most texts need it not. */
function wordRanks(): ReadonlyMap<string, number> {
  cachedRanks ??= new Map(
    WORD_LIST.trim()
      .split(/\s+/)
      .map((word, at) => [word, at]),
  );
  return cachedRanks;
}

/** No word of the list is longer. */
const WORD_LETTERS_MAX = 20;

/** Endings by which a word is known although the list has only its stem. */
const ENDING = /(?:s|es|ed|d|ing|ly|er|ers|'s)$/;

/** Whether a lower-case word is one that people use. */
export function isKnownWord(word: string): boolean {
  if (wordRanks().has(word)) return true;
  if (word.length < 5) return false;
  const stem = word.replace(ENDING, "");
  return stem.length < word.length && (wordRanks().has(stem) || wordRanks().has(`${stem}e`));
}

/** Of several readings of one word, the known one that is used most. */
export function mostCommonWord(words: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const word of words) {
    const rank = wordRanks().get(word) ?? (isKnownWord(word) ? wordRanks().size : Number.POSITIVE_INFINITY);
    if (rank >= bestRank) continue;
    best = word;
    bestRank = rank;
  }
  return best;
}

/** What a letter costs that belongs to no known word: more than any known word's letters do. */
const UNKNOWN_LETTER_COST = 5;
/** Longer runs of letters are no sentence that somebody wrote together. */
const LETTERS_MAX = 4096;

/** Finds the words in letters that were written without spaces: the way through them that is likeliest. */
export function segmentWords(letters: string): string[] {
  const text = letters.toLowerCase();
  if (text.length > LETTERS_MAX) return [text];
  const cost = new Float64Array(text.length + 1).fill(Number.POSITIVE_INFINITY);
  const from = new Int32Array(text.length + 1);
  cost[0] = 0;
  const { next, costs: prices } = wordTrie();
  for (let start = 0; start < text.length; start += 1) {
    const soFar = cost[start] ?? 0;
    relax(cost, from, start, start + 1, soFar + UNKNOWN_LETTER_COST);
    let node = 0;
    const farthest = Math.min(text.length, start + WORD_LETTERS_MAX);
    for (let at = start; at < farthest; at += 1) {
      node = next[node * 27 + letterIndex(text.charCodeAt(at))] ?? 0;
      if (node === 0) break;
      const price = prices[node] ?? 0;
      if (price > 0) relax(cost, from, start, at + 1, soFar + price);
    }
  }
  return wordsOnPath(text, from);
}

function relax(cost: Float64Array, from: Int32Array, start: number, end: number, price: number): void {
  if (price >= (cost[end] ?? 0)) return;
  cost[end] = price;
  from[end] = start;
}

function wordsOnPath(text: string, from: Int32Array): string[] {
  const words: string[] = [];
  for (let end = text.length; end > 0; ) {
    const start = from[end] ?? end - 1;
    words.push(text.slice(start, end));
    end = start;
  }
  return joinFragments(words.reverse());
}

const SUFFIXES: ReadonlySet<string> = new Set(["s", "es", "ed", "d", "ing", "ly", "er", "r", "y", "ies"]);

/** Letters that belong to no known word are one strange word together, or the ending of the word before. */
function joinFragments(words: readonly string[]): string[] {
  const joined: string[] = [];
  let strange = "";
  const close = () => {
    const before = joined.at(-1);
    if (strange === "") return;
    if (before !== undefined && before.length > 2 && SUFFIXES.has(strange)) joined[joined.length - 1] += strange;
    else joined.push(strange);
    strange = "";
  };
  for (const [at, word] of words.entries()) {
    const isFragment =
      !wordRanks().has(word) || (strange !== "" && word.length < 3 && !wordRanks().has(words[at + 1] ?? "a"));
    if (isFragment) strange += word;
    else {
      close();
      joined.push(word);
    }
  }
  close();
  return joined;
}

interface WordTrie {
  /** By node times 27 and letter: the node after it; 0: none. */
  readonly next: Uint16Array;
  /** What the word that ends at a node costs: the rarer, the more; 0: none ends there. */
  readonly costs: Float64Array;
}

let cachedTrie: WordTrie | undefined;

/** Made when first needed: most services never meet such a text. */
function wordTrie(): WordTrie {
  if (cachedTrie !== undefined) return cachedTrie;
  const nodesMax = WORD_LIST.length;
  const next = new Uint16Array(nodesMax * 27);
  const prices = new Float64Array(nodesMax);
  let nodes = 1;
  for (const [word, place] of wordRanks()) {
    let node = 0;
    for (let at = 0; at < word.length; at += 1) {
      const edge = node * 27 + letterIndex(word.charCodeAt(at));
      if (next[edge] === 0) {
        next[edge] = nodes;
        nodes += 1;
      }
      node = next[edge] ?? 0;
    }
    prices[node] = Math.log((place + 4) * 9);
  }
  cachedTrie = { next: next.slice(0, nodes * 27), costs: prices.slice(0, nodes) };
  return cachedTrie;
}
