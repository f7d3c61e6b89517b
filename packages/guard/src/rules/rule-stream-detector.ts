import { normalise } from "../decode/normalise.ts";
import type { StreamDetection, StreamDetector } from "../detector.ts";
import { CHARACTER_CLASS, type StreamBuffer } from "../stream-buffer.ts";
import type { Rule } from "./rule-matcher.ts";

/** How much of the answer the rules look at: longer than any one sign and what leads up to it. */
const VIEW_CHARACTERS = 256;
/** How much of what was read before is searched again where letters are disguised: longer than any anchor. */
const OVERLAP_CHARACTERS = 24;
/** How far a sign may go on after its anchor. */
const AWAKE_CHARACTERS = 128;
/** Every so often what is hidden is looked for, as it holds no plain word that would wake anybody. */
const HIDDEN_SCAN_INTERVAL = 384;
/** How much of what was searched before is searched again with it. */
const HIDDEN_SCAN_OVERLAP = 96;
/** A word as long as this may be an encoding. */
const ENCODED_RUN = /[A-Za-z0-9+/_=-]{24}/;
const ENCODED_RUN_VIEW = 40;
const STARTS_WITH_DIGIT = /^\d/;

/** What rules find in a stretch of an answer: all of it, or only what is hidden in it. */
type MatchAnswerText = (text: string, isHidden: boolean) => StreamDetection;

/** What the rules for answers find in a stretch of one, and the words without which they find nothing. */
export class AnswerRuleIndex {
  readonly trie: AnchorTrie;
  /** The anchors that are numbers, which the trie would take for letters. */
  readonly numbers: readonly string[];
  readonly find: MatchAnswerText;

  constructor(rules: readonly Rule[], find: MatchAnswerText) {
    const anchors = [...new Set(rules.flatMap((rule) => rule.anchors))];
    this.numbers = anchors.filter((anchor) => STARTS_WITH_DIGIT.test(anchor));
    this.trie = new AnchorTrie(anchors.filter((anchor) => !STARTS_WITH_DIGIT.test(anchor)));
    this.find = find;
  }
}

/** Follows an answer by its rules. They sleep until a word comes up without which none of them applies. */
export class RuleStreamDetector implements StreamDetector {
  readonly #rules: AnswerRuleIndex;
  #judged = 0;
  /** From where on anchors are looked for. */
  #anchorsSearchedTo = 0;
  #awakeUntil = -1;
  #lastHiddenScan = 0;

  constructor(rules: AnswerRuleIndex) {
    this.#rules = rules;
  }

  get decidedTo(): number {
    return this.#judged;
  }

  read(streamBuffer: StreamBuffer, to: number, isLast: boolean): StreamDetection | undefined {
    const since = this.#judged;
    this.#judged = to;
    if (this.#findsAnchor(streamBuffer, since, to)) this.#awakeUntil = to + AWAKE_CHARACTERS;
    const isAwake = to <= this.#awakeUntil || this.#mayBeEncoded(streamBuffer, to);
    const isRound = isLast || to - this.#lastHiddenScan >= HIDDEN_SCAN_INTERVAL;
    if (!isAwake && !isRound) return undefined;
    const lastRound = this.#lastHiddenScan;
    if (isRound) this.#lastHiddenScan = to;
    if (!isRound) return this.#search(streamBuffer, to, VIEW_CHARACTERS, since, false);
    if (!isAwake) return this.#search(streamBuffer, to, to - lastRound + HIDDEN_SCAN_OVERLAP, lastRound, true);
    return this.#search(
      streamBuffer,
      to,
      Math.max(VIEW_CHARACTERS, to - lastRound + HIDDEN_SCAN_OVERLAP),
      lastRound,
      false,
    );
  }

  #findsAnchor(streamBuffer: StreamBuffer, since: number, to: number): boolean {
    const { trie, numbers } = this.#rules;
    const from = Math.max(0, this.#anchorsSearchedTo - 1);
    const { isFound, resume } = trie.search(streamBuffer.slice(from, to), this.#anchorsSearchedTo - from);
    this.#anchorsSearchedTo = from + resume;
    if (isFound) return true;
    const { characterClasses: signs } = streamBuffer;
    if ((signs & CHARACTER_CLASS.confusable) !== 0) {
      const { text } = normalise(streamBuffer.slice(streamBuffer.viewStart(since, OVERLAP_CHARACTERS), to));
      if (trie.search(text, 0).isFound) return true;
    }
    if ((signs & CHARACTER_CLASS.digit) === 0) return false;
    const view = streamBuffer.slice(since - OVERLAP_CHARACTERS, to);
    return numbers.some((number) => view.includes(number));
  }

  #mayBeEncoded(streamBuffer: StreamBuffer, to: number): boolean {
    return (
      (streamBuffer.characterClasses & CHARACTER_CLASS.noWhitespace) !== 0 &&
      ENCODED_RUN.test(streamBuffer.slice(to - ENCODED_RUN_VIEW, to))
    );
  }

  /**
   * What ends after `since`. The rest was judged before, with more of what led up to it in view: "I cannot say how to"
   * may just have fallen out of it.
   */
  #search(
    streamBuffer: StreamBuffer,
    to: number,
    characters: number,
    since: number,
    isHidden: boolean,
  ): StreamDetection | undefined {
    const start = streamBuffer.viewStart(to, characters);
    const { findings, normalised } = this.#rules.find(streamBuffer.slice(start, to), isHidden);
    const news = findings
      .map((finding) => ({ ...finding, start: finding.start + start, end: finding.end + start }))
      .filter(({ end }) => end > since);
    return news.length === 0 && normalised.length === 0 ? undefined : { findings: news, normalised };
  }
}

const ALPHABET_SIZE = 128;
/** Digits are read as the letters that they imitate: no anchor that begins with a letter has any. */
const LETTERS_BY_DIGIT: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
};

/** Capitals as small letters, digits as the letters that they imitate, white space as spaces. */
const PLAIN_CODES = Uint8Array.from({ length: ALPHABET_SIZE }, (_, code) => {
  const character = String.fromCharCode(code);
  return (LETTERS_BY_DIGIT[character] ?? character.toLowerCase()).replace(/\s/, " ").charCodeAt(0);
});
const IS_LETTER = Uint8Array.from({ length: ALPHABET_SIZE }, (_, code) =>
  /[a-z0-9_@$]/i.test(String.fromCharCode(code)) ? 1 : 0,
);
const SPACE = 32;
const NONE = 0;
const END = 1;

/** Finds out in one pass whether a text holds any of some words, which stand at the beginning of a word of it. */
export class AnchorTrie {
  /** For each node what follows on each character: another node, none, or the end of an anchor. */
  readonly #next: Uint16Array;

  constructor(anchors: readonly string[]) {
    const next: number[][] = [[], []];
    const root = 2;
    next.push([]);
    for (const anchor of anchors) {
      let node = root;
      for (let at = 0; at < anchor.length && node !== END; at += 1) {
        const code = PLAIN_CODES[anchor.charCodeAt(at)] ?? 0;
        const followers = next[node] ?? [];
        if (at === anchor.length - 1) followers[code] = END;
        else if (followers[code] === undefined) followers[code] = next.push([]) - 1;
        node = followers[code] ?? END;
      }
    }
    this.#next = new Uint16Array(next.length * ALPHABET_SIZE);
    for (const [node, followers] of next.entries())
      for (const [code, follower] of followers.entries()) this.#next[node * ALPHABET_SIZE + code] = follower ?? NONE;
  }

  /** Whether an anchor begins at `from` or later; otherwise where one may have begun that the text breaks off. */
  search(text: string, from: number): { readonly isFound: boolean; readonly resume: number } {
    let resume = text.length;
    let wasLetter = from > 0 && isLetter(text.charCodeAt(from - 1));
    for (let at = from; at < text.length; at += 1) {
      const starts = !wasLetter;
      wasLetter = isLetter(text.charCodeAt(at));
      if (!starts || !wasLetter) continue;
      const end = this.#walk(text, at);
      if (end === END) return { isFound: true, resume: text.length };
      if (end !== NONE) resume = Math.min(resume, at);
    }
    return { isFound: false, resume };
  }

  /** The node where the text breaks off, or how it ended before. */
  #walk(text: string, start: number): number {
    let node = 2;
    let wasSpace = false;
    for (let at = start; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const plain = code < ALPHABET_SIZE ? (PLAIN_CODES[code] ?? 0) : 0;
      if (plain === SPACE && wasSpace) continue;
      wasSpace = plain === SPACE;
      node = this.#next[node * ALPHABET_SIZE + plain] ?? NONE;
      if (node <= END) return node;
    }
    return node;
  }
}

function isLetter(code: number): boolean {
  return code < ALPHABET_SIZE && IS_LETTER[code] === 1;
}
