import { normalise } from "../decode/normalise.ts";
import type { Follower, News } from "../detector.ts";
import { SIGN } from "../stride-signs.ts";
import type { Tail } from "../tail.ts";
import { AnchorTrie } from "./anchor-trie.ts";
import type { Rule } from "./rule-book.ts";

/** How much of the answer the rules look at: longer than any one sign and what leads up to it. */
const VIEW = 256;
/** How much of what was read before is searched again where letters are disguised: longer than any anchor. */
const CARRY = 24;
/** How far a sign may go on after its anchor. */
const REACH = 128;
/** Every so often what is hidden is looked for, as it holds no plain word that would wake anybody. */
const ROUND = 384;
/** How much of what was searched before is searched again with it. */
const LEAD = 96;
/** A word as long as this may be an encoding. */
const BLOB = /[A-Za-z0-9+/_=-]{24}/;
const BLOB_VIEW = 40;
const HAS_NUMBER_FIRST = /^\d/;

/** What rules find in a stretch of an answer: all of it, or only what is hidden in it. */
type FindInAnswer = (text: string, isHidden: boolean) => News;

/** What the rules for answers find in a stretch of one, and the words without which they find nothing. */
export class AnswerRules {
  readonly trie: AnchorTrie;
  /** The anchors that are numbers, which the trie would take for letters. */
  readonly numbers: readonly string[];
  readonly find: FindInAnswer;

  constructor(rules: readonly Rule[], find: FindInAnswer) {
    const anchors = [...new Set(rules.flatMap((rule) => rule.anchors))];
    this.numbers = anchors.filter((anchor) => HAS_NUMBER_FIRST.test(anchor));
    this.trie = new AnchorTrie(anchors.filter((anchor) => !HAS_NUMBER_FIRST.test(anchor)));
    this.find = find;
  }
}

/** Follows an answer by its rules. They sleep until a word comes up without which none of them applies. */
export class RuleFollower implements Follower {
  readonly #rules: AnswerRules;
  #judged = 0;
  /** From where on anchors are looked for. */
  #searched = 0;
  #awakeUntil = -1;
  #lastRound = 0;

  constructor(rules: AnswerRules) {
    this.#rules = rules;
  }

  get judged(): number {
    return this.#judged;
  }

  read(tail: Tail, to: number, isLast: boolean): News | undefined {
    const since = this.#judged;
    this.#judged = to;
    if (this.#wakes(tail, since, to)) this.#awakeUntil = to + REACH;
    const isAwake = to <= this.#awakeUntil || this.#mayBeEncoded(tail, to);
    const isRound = isLast || to - this.#lastRound >= ROUND;
    if (!isAwake && !isRound) return undefined;
    const lastRound = this.#lastRound;
    if (isRound) this.#lastRound = to;
    if (!isRound) return this.#look(tail, to, VIEW, since, false);
    if (!isAwake) return this.#look(tail, to, to - lastRound + LEAD, lastRound, true);
    return this.#look(tail, to, Math.max(VIEW, to - lastRound + LEAD), lastRound, false);
  }

  #wakes(tail: Tail, since: number, to: number): boolean {
    const { trie, numbers } = this.#rules;
    const from = Math.max(0, this.#searched - 1);
    const { isFound, resume } = trie.search(tail.slice(from, to), this.#searched - from);
    this.#searched = from + resume;
    if (isFound) return true;
    const { signs } = tail;
    if ((signs & SIGN.strange) !== 0) {
      const { text } = normalise(tail.slice(tail.viewStart(since, CARRY), to));
      if (trie.search(text, 0).isFound) return true;
    }
    if ((signs & SIGN.digit) === 0) return false;
    const view = tail.slice(since - CARRY, to);
    return numbers.some((number) => view.includes(number));
  }

  #mayBeEncoded(tail: Tail, to: number): boolean {
    return (tail.signs & SIGN.unbroken) !== 0 && BLOB.test(tail.slice(to - BLOB_VIEW, to));
  }

  /**
   * What ends after `since`. The rest was judged before, with more of what led up to it in view: "I cannot say how to"
   * may just have fallen out of it.
   */
  #look(tail: Tail, to: number, characters: number, since: number, isHidden: boolean): News | undefined {
    const start = tail.viewStart(to, characters);
    const { findings, normalised } = this.#rules.find(tail.slice(start, to), isHidden);
    const news = findings
      .map((finding) => ({ ...finding, start: finding.start + start, end: finding.end + start }))
      .filter(({ end }) => end > since);
    return news.length === 0 && normalised.length === 0 ? undefined : { findings: news, normalised };
  }
}
