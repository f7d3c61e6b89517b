import { normalise } from "../decode/normalise.ts";
import type { StreamDetection, StreamDetector } from "../detector.ts";
import { CHARACTER_CLASS, type StreamBuffer } from "../stream-buffer.ts";
import type { Rule } from "./rule-matcher.ts";

/** The number of characters the rules examine: longer than any match and its lead-in. */
const VIEW_CHARACTERS = 256;
/** The number of characters searched again where letters are disguised: longer than any anchor. */
const OVERLAP_CHARACTERS = 24;
/** The maximum distance of the end of a match from its anchor. */
const ACTIVE_CHARACTERS = 128;
/** The interval at which encoded text is searched, as it contains no anchor. */
export const HIDDEN_SCAN_INTERVAL = 384;
/** The overlap of two such searches. */
export const HIDDEN_SCAN_OVERLAP = 96;
/** A word this long may be an encoding. */
const ENCODED_RUN_CHARACTERS = 24;
const ENCODED_RUN_VIEW = 40;
const STARTS_WITH_DIGIT = /^\d/;
/** Words that lead up to what most rules find, and how far behind them its anchor may follow. */
const LEAD_IN =
  /\b(?:how (?:to|you)|you should|you(?:'ll| will) need|(?:step|instruction|guide|recipe|tutorial)s? (?:to|for|on))\b/i;
const LEAD_IN_CHARACTERS = 48;

/** Matches rules in a range of an answer: in all of it, or only in what is decoded from it. */
type MatchAnswerText = (text: string, isHidden: boolean) => StreamDetection;

/** The matcher for answers, and the anchors without which it finds nothing. */
export class AnswerRuleIndex {
  readonly trie: AnchorTrie;
  /** The anchors that are numbers, which the trie would read as letters. */
  readonly numbers: readonly string[];
  readonly find: MatchAnswerText;

  constructor(rules: readonly Rule[], find: MatchAnswerText) {
    const anchors = [...new Set(rules.flatMap((rule) => rule.anchors))];
    this.numbers = anchors.filter((anchor) => STARTS_WITH_DIGIT.test(anchor));
    this.trie = new AnchorTrie(anchors.filter((anchor) => !STARTS_WITH_DIGIT.test(anchor)));
    this.find = find;
  }

  /** Whether an anchor or a word that may be an encoding occurs in a complete answer without disguised letters. */
  mayMatch(text: string, characterClasses: number): boolean {
    return (
      this.trie.search(text, 0).isFound ||
      ((characterClasses & CHARACTER_CLASS.digit) !== 0 && this.numbers.some((number) => text.includes(number))) ||
      hasEncodedRun(text)
    );
  }
}

/** Matches rules in an answer while it grows. The rules run only after an anchor occurs. */
export class RuleStreamDetector implements StreamDetector {
  readonly #rules: AnswerRuleIndex;
  #decidedTo = 0;
  /** The offset from which on anchors are searched. */
  #anchorsSearchedTo = 0;
  #activeUntil = -1;
  #lastHiddenScan = 0;
  clearTo = 0;

  constructor(rules: AnswerRuleIndex) {
    this.#rules = rules;
  }

  get decidedTo(): number {
    return this.#decidedTo;
  }

  read(streamBuffer: StreamBuffer, to: number, isLast: boolean): StreamDetection | undefined {
    const since = this.#decidedTo;
    this.#decidedTo = to;
    if (this.#findsAnchor(streamBuffer, since, to)) this.#activeUntil = to + ACTIVE_CHARACTERS;
    const isActive = to <= this.#activeUntil || this.#mayBeEncoded(streamBuffer, to);
    this.clearTo = isActive ? 0 : this.#anchorlessTo(streamBuffer, since, to);
    const isHiddenScanDue = isLast || to - this.#lastHiddenScan >= HIDDEN_SCAN_INTERVAL;
    if (!isActive && !isHiddenScanDue) return undefined;
    const lastHiddenScan = this.#lastHiddenScan;
    if (isHiddenScanDue) this.#lastHiddenScan = to;
    if (!isHiddenScanDue) return this.#search(streamBuffer, to, VIEW_CHARACTERS, since, false);
    if (!isActive)
      return this.#search(streamBuffer, to, to - lastHiddenScan + HIDDEN_SCAN_OVERLAP, lastHiddenScan, true);
    return this.#search(
      streamBuffer,
      to,
      Math.max(VIEW_CHARACTERS, to - lastHiddenScan + HIDDEN_SCAN_OVERLAP),
      lastHiddenScan,
      false,
    );
  }

  #findsAnchor(streamBuffer: StreamBuffer, since: number, to: number): boolean {
    const { trie, numbers } = this.#rules;
    const from = Math.max(0, this.#anchorsSearchedTo - 1);
    const { isFound, resume } = trie.search(streamBuffer.slice(from, to), this.#anchorsSearchedTo - from);
    this.#anchorsSearchedTo = from + resume;
    if (isFound) return true;
    const { characterClasses } = streamBuffer;
    if ((characterClasses & CHARACTER_CLASS.confusable) !== 0) {
      const { text } = normalise(streamBuffer.slice(streamBuffer.viewStart(since, OVERLAP_CHARACTERS), to));
      if (trie.search(text, 0).isFound) return true;
    }
    if ((characterClasses & CHARACTER_CLASS.digit) === 0) return false;
    const view = streamBuffer.slice(since - OVERLAP_CHARACTERS, to);
    return numbers.some((number) => view.includes(number));
  }

  /**
   * The offset up to which neither an anchor nor what leads up to one can have begun. An anchor of digits or disguised
   * letters may begin anywhere in the stride.
   */
  #anchorlessTo(streamBuffer: StreamBuffer, since: number, to: number): number {
    const mayHide = (streamBuffer.characterClasses & (CHARACTER_CLASS.confusable | CHARACTER_CLASS.digit)) !== 0;
    const from = Math.max(0, to - LEAD_IN_CHARACTERS);
    const leadIn = streamBuffer.slice(from, to).search(LEAD_IN);
    return Math.min(this.#anchorsSearchedTo, mayHide ? since : to, leadIn === -1 ? to : from + leadIn);
  }

  #mayBeEncoded(streamBuffer: StreamBuffer, to: number): boolean {
    return (
      (streamBuffer.characterClasses & CHARACTER_CLASS.noWhitespace) !== 0 &&
      hasEncodedRun(streamBuffer.slice(to - ENCODED_RUN_VIEW, to))
    );
  }

  /**
   * The matches that end after `since`. Earlier ones were examined with more context: "I cannot say how to" may just
   * have left the view.
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
    const newFindings = findings
      .map((finding) => ({ ...finding, start: finding.start + start, end: finding.end + start }))
      .filter(({ end }) => end > since);
    return newFindings.length === 0 && normalised.length === 0 ? undefined : { findings: newFindings, normalised };
  }
}

const ALPHABET_SIZE = 128;
/** Digits are read as the letters they imitate: no anchor that begins with a letter has any. */
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

/** Capitals as lower-case letters, digits as the letters they imitate, white space as spaces. */
const PLAIN_CODES = Uint8Array.from({ length: ALPHABET_SIZE }, (_, code) => {
  const character = String.fromCharCode(code);
  return (LETTERS_BY_DIGIT[character] ?? character.toLowerCase()).replace(/\s/, " ").charCodeAt(0);
});
const IS_LETTER = Uint8Array.from({ length: ALPHABET_SIZE }, (_, code) =>
  /[a-z0-9_@$]/i.test(String.fromCharCode(code)) ? 1 : 0,
);
const IS_ENCODING = Uint8Array.from({ length: ALPHABET_SIZE }, (_, code) =>
  /[A-Za-z0-9+/_=-]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const SPACE = 32;
const NONE = 0;
const END = 1;

/** Detects in one pass whether any anchor occurs at the start of a word. */
export class AnchorTrie {
  /** By node and character: the next node, none, or the end of an anchor. */
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

  /** Whether an anchor begins at `from` or later; otherwise where an incomplete one may have begun. */
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

  /** The node where the text ends, or NONE or END if the walk ended before. */
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

/** Whether a word is long enough for an encoding. Looks at one character in 24, as such a word has one of them. */
function hasEncodedRun(text: string): boolean {
  for (let at = ENCODED_RUN_CHARACTERS - 1; at < text.length; at += ENCODED_RUN_CHARACTERS) {
    let start = at;
    while (start >= 0 && isEncodingCode(text.charCodeAt(start))) start -= 1;
    if (start === at) continue;
    let end = at + 1;
    while (end < text.length && isEncodingCode(text.charCodeAt(end))) end += 1;
    if (end - start > ENCODED_RUN_CHARACTERS) return true;
  }
  return false;
}

function isEncodingCode(code: number): boolean {
  return code < ALPHABET_SIZE && IS_ENCODING[code] === 1;
}

function isLetter(code: number): boolean {
  return code < ALPHABET_SIZE && IS_LETTER[code] === 1;
}
