import { letterIndex } from "./fluency.ts";
import { WORD_LIST } from "./word-list.ts";

let cachedRanks: ReadonlyMap<string, number> | undefined;

/** The rank of every word in the list. Built on first use, as most texts do not need it. */
function wordRanks(): ReadonlyMap<string, number> {
  cachedRanks ??= new Map(
    WORD_LIST.trim()
      .split(/\s+/)
      .map((word, at) => [word, at]),
  );
  return cachedRanks;
}

/** The longest word in the list. */
const WORD_LETTERS_MAX = 20;

/** Endings with which a word is known although the list has only its stem. */
const ENDING = /(?:s|es|ed|d|ing|ly|er|ers|'s)$/;

/** Whether a lower-case word is in common use. */
export function isKnownWord(word: string): boolean {
  if (wordRanks().has(word)) return true;
  if (word.length < 5) return false;
  const stem = word.replace(ENDING, "");
  return stem.length < word.length && (wordRanks().has(stem) || wordRanks().has(`${stem}e`));
}

/** The most common known word among several candidates. */
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

/** The cost of a letter outside any known word: more than the letters of any known word. */
const UNKNOWN_LETTER_COST = 5;
/** Longer runs of letters are not segmented, as they are not sentences. */
const LETTERS_MAX = 4096;

/** Splits letters without spaces into the likeliest sequence of words (Viterbi). */
export function segmentWords(letters: string): string[] {
  const text = letters.toLowerCase();
  if (text.length > LETTERS_MAX) return [text];
  const cost = new Float64Array(text.length + 1).fill(Number.POSITIVE_INFINITY);
  const from = new Int32Array(text.length + 1);
  cost[0] = 0;
  const { next, costs } = wordTrie();
  for (let start = 0; start < text.length; start += 1) {
    const soFar = cost[start] ?? 0;
    relax(cost, from, start, start + 1, soFar + UNKNOWN_LETTER_COST);
    let node = 0;
    const farthest = Math.min(text.length, start + WORD_LETTERS_MAX);
    for (let at = start; at < farthest; at += 1) {
      node = next[node * 27 + letterIndex(text.charCodeAt(at))] ?? 0;
      if (node === 0) break;
      const wordCost = costs[node] ?? 0;
      if (wordCost > 0) relax(cost, from, start, at + 1, soFar + wordCost);
    }
  }
  return wordsOnPath(text, from);
}

function relax(cost: Float64Array, from: Int32Array, start: number, end: number, wordCost: number): void {
  if (wordCost >= (cost[end] ?? 0)) return;
  cost[end] = wordCost;
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

/** Letters outside any known word form one unknown word, or the ending of the word before. */
function joinFragments(words: readonly string[]): string[] {
  const joined: string[] = [];
  let unknown = "";
  const close = () => {
    const before = joined.at(-1);
    if (unknown === "") return;
    if (before !== undefined && before.length > 2 && SUFFIXES.has(unknown)) joined[joined.length - 1] += unknown;
    else joined.push(unknown);
    unknown = "";
  };
  for (const [at, word] of words.entries()) {
    const isFragment =
      !wordRanks().has(word) || (unknown !== "" && word.length < 3 && !wordRanks().has(words[at + 1] ?? "a"));
    if (isFragment) unknown += word;
    else {
      close();
      joined.push(word);
    }
  }
  close();
  return joined;
}

interface WordTrie {
  /** Indexed by node times 27 plus letter: the next node; 0: none. */
  readonly next: Uint16Array;
  /** The cost of the word that ends at a node, higher for rarer words; 0: none ends there. */
  readonly costs: Float64Array;
}

let cachedTrie: WordTrie | undefined;

/** Built on first use, as most services never need it. */
function wordTrie(): WordTrie {
  if (cachedTrie !== undefined) return cachedTrie;
  const nodesMax = WORD_LIST.length;
  const next = new Uint16Array(nodesMax * 27);
  const costs = new Float64Array(nodesMax);
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
    costs[node] = Math.log((place + 4) * 9);
  }
  cachedTrie = { next: next.slice(0, nodes * 27), costs: costs.slice(0, nodes) };
  return cachedTrie;
}
