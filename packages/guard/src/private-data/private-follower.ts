import type { Finding, Follower, News } from "../detector.ts";
import { SIGN } from "../stride-signs.ts";
import type { Tail } from "../tail.ts";
import { findWithEscapes } from "./find-escaped.ts";
import { isBreak, OpenValue } from "./open-value.ts";
import { ANY_NAME } from "./secrets/assigned.ts";
import { readBlock } from "./secrets/key-block.ts";

/** How much of the answer is searched for a value that has just ended. */
const VIEW = 160;
/** Behind a key its other half may stand, which nothing else gives away. */
const VIEW_BEHIND_KEY = 256;
/** A value that is this long already is told before its end is known, while its beginning is still held back. */
const LONG = 32;
/** What hardly any value is without. */
const WORTH_A_LOOK = SIGN.digit | SIGN.at;
/** So many places are remembered, and then those that are out of view are forgotten. */
const TOLD_MAX = 64;
const OUT_OF_VIEW = 1_024;
/** As much as there is to look back on. */
const IN_VIEW = 512;

/** What is neither of a number nor between two parts of one. */
const IS_OTHER = /[^\sA-Z\d().+/-]/;
const SPOKEN = /passw|passphrase|ennwort|ontrase| dot |[([{<] ?at ?[)\]}>]/i;
/** How much is read before a value that was waited for: what it is called stands there. */
const CUES = 96;

/** Up to where a value goes on whose beginning is no longer in view: keys are one word. */
const AFTER_A_WORD = /[^\w+/=.~-]/;

const NONE: readonly Finding[] = [];

/** Private keys begin and end with them. */
const DASHES = "-----";

/** What is read in one go. */
interface Stretch {
  readonly since: number;
  readonly to: number;
  readonly isLast: boolean;
  /** Where something begins that had to be waited for. */
  readonly doubts: number | undefined;
}

/** Follows an answer and tells keys and personal data in it. */
export class PrivateFollower implements Follower {
  #judged = 0;
  /** Up to where values were looked for. */
  #looked = 0;
  /** A value that reached the end of what was read, and may go on. */
  #growing: (Finding & { readonly isBlock: boolean }) | undefined;
  /** Whether something was seen whose end is not known yet. */
  #isWaiting = false;
  /** Where the last key ended that was told. */
  #lastKey = Number.NEGATIVE_INFINITY;
  readonly #open = new OpenValue();
  /** The ends of what was told, by where it begins. */
  readonly #told = new Map<number, number>();

  get judged(): number {
    return this.#judged;
  }

  get doubtsFrom(): number | undefined {
    if (this.#growing === undefined) return this.#open.from;
    return this.#growing.isBlock ? this.#growing.end : this.#open.block;
  }

  read(tail: Tail, to: number, isLast: boolean): News | undefined {
    const since = this.#judged;
    this.#judged = to;
    const doubted = this.#open.from;
    this.#open.read(tail, since, to);
    const doubts = doubted ?? this.#open.from;
    const grown = this.#goOn(tail, to, isLast);
    const isDue = isLast || this.#isWaiting || this.#open.isDue || this.#growsInView(to);
    const found = isDue ? this.#find(tail, { since: this.#looked, to, isLast, doubts }) : NONE;
    if (isDue) this.#looked = to;
    const findings = grown.length === 0 ? found : [...grown, ...found];
    this.#noteGrowing(tail, findings);
    if (findings.length === 0) return undefined;
    const news = findings.filter(({ start, end }) => (this.#told.get(start) ?? 0) < end);
    if (news.length === 0) return undefined;
    for (const { kind, start, end } of news) {
      this.#told.set(start, end);
      if (kind === "api_key") this.#lastKey = end;
    }
    if (this.#told.size > TOLD_MAX) this.#forget(to);
    return { findings: news, normalised: [] };
  }

  /** What is found again may prove to be over. */
  #growsInView(to: number): boolean {
    return this.#growing !== undefined && to - this.#growing.start < IN_VIEW;
  }

  #noteGrowing(tail: Tail, findings: readonly Finding[]): void {
    // A block is read on by its lines, whatever else stands in its last one.
    const block = findings.findLast((finding) => this.#isOpenBlock(tail, finding));
    const last = findings.at(-1);
    if (block !== undefined) this.#growing = { ...block, isBlock: true };
    else if (this.#growing?.isBlock === true) return;
    else if (last?.end !== this.#judged || last.kind === "private_key") this.#growing = undefined;
    else if (last.start !== this.#growing?.start) this.#growing = { ...last, isBlock: false };
    if (this.#growing?.isBlock === true) this.#open.settle();
  }

  #isOpenBlock(tail: Tail, { kind, start, end }: Finding): boolean {
    if (kind !== "private_key" || tail.slice(end - DASHES.length, end) === DASHES) return false;
    return (
      tail.slice(start, start + DASHES.length) === DASHES &&
      readBlock(tail.slice(end, this.#judged), 0, true).isOpen
    );
  }

  #goOn(tail: Tail, to: number, isLast: boolean): readonly Finding[] {
    if (this.#growing === undefined) return NONE;
    const { isBlock, ...finding } = this.#growing;
    const more = tail.slice(finding.end, to);
    const end = finding.end + (isBlock ? this.#goOnWithBlock(more, isLast) : endOfWord(more));
    if (this.#growing !== undefined && (isBlock || end === to)) this.#growing = { ...this.#growing, end };
    return end > finding.end ? [{ ...finding, end }] : [];
  }

  #goOnWithBlock(more: string, isLast: boolean): number {
    const { end, isOpen, isCutShort } = readBlock(more, 0, true);
    if (!isOpen) this.#growing = undefined;
    return isLast && isCutShort ? more.length : end;
  }

  #find(tail: Tail, { since, to, isLast, doubts }: Stretch): readonly Finding[] {
    const isWorthIt =
      isLast ||
      this.#isWaiting ||
      doubts !== undefined ||
      this.#open.isLong ||
      (tail.recentSigns & WORTH_A_LOOK) !== 0 ||
      isNamed(tail, since, to);
    if (!isWorthIt) return NONE;
    const usual = tail.viewStart(to, to - this.#lastKey < VIEW_BEHIND_KEY ? VIEW_BEHIND_KEY : VIEW);
    const offset = doubts === undefined ? usual : Math.min(usual, startWithCues(tail, doubts));
    const values = findWithEscapes(tail.slice(offset, to));
    if (values.length === 0) {
      this.#isWaiting = false;
      return NONE;
    }
    const found = values.map(({ weight, start, end, ...datum }) => ({
      ...datum,
      score: weight,
      start: start + offset,
      end: end + offset,
    }));
    const ended = found.filter(
      // Something stands after it that can't be of it: half a number may pass for a whole one.
      ({ start, end }) => isLast || to - start >= LONG || IS_OTHER.test(tail.slice(end, to)),
    );
    this.#isWaiting = ended.length < found.length;
    // What ended long ago was judged when more of it was in view, and may be given out; and what the view cuts off is no beginning.
    const isCut = offset > 0 && !isBreak(tail.codeAt(offset - 1));
    return ended.filter(({ start, end }) => end > since - LONG && (start > offset || !isCut));
  }

  #forget(to: number): void {
    for (const [start, end] of this.#told) if (end < to - OUT_OF_VIEW) this.#told.delete(start);
  }
}

function endOfWord(text: string): number {
  const end = text.search(AFTER_A_WORD);
  return end === -1 ? text.length : end;
}

/** In the middle of a word nothing before it says what it is. */
function startWithCues(tail: Tail, place: number): number {
  return isBreak(tail.codeAt(place - 1)) ? tail.viewStart(place, CUES) : place;
}

/** Whether words speak of a value, or spell one out. */
function isNamed(tail: Tail, since: number, to: number): boolean {
  const words = tail.slice(since - LONG, to);
  return SPOKEN.test(words) || ((tail.recentSigns & SIGN.assignment) !== 0 && ANY_NAME.test(words));
}
