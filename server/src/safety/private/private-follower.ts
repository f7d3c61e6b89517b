import type { Finding, Follower, News } from "../detector.ts";
import { SIGN } from "../output/stride-signs.ts";
import type { Tail } from "../output/tail.ts";
import { findPrivateData } from "./private-data.ts";

/** How much of the answer is searched for a value that has just ended. */
const VIEW = 160;
/** Every so often all is searched, for what begins like any other words. */
const ROUND = 352;
/** A value that is this long already is told before its end is known, while its beginning is still held back. */
const LONG = 32;
/** What hardly any value is without. */
const WORTH_A_LOOK = SIGN.digit | SIGN.at;

/** What is neither of a number nor between two parts of one. */
const IS_OTHER = /[^\sA-Z\d().+/-]/;
const SPOKEN = /passw|passphrase/i;

/** Up to where a value goes on whose beginning is no longer in view: keys are one word, and blocks of them are lines of such. */
const AFTER_A_WORD = /[^\w+/=.~-]/;
const AFTER_A_BLOCK = /-----END[^-]{0,40}-----()|[^\w+/=\s:,.-]/d;

const NONE: readonly Finding[] = [];

/** Follows an answer and tells keys and personal data in it. */
export class PrivateFollower implements Follower {
  #judged = 0;
  #lastRound = 0;
  /** A value that reached the end of what was read, and may go on. */
  #growing: (Finding & { readonly isBlock: boolean }) | undefined;
  /** Whether something was seen whose end is not known yet. */
  #isWaiting = false;
  /** The ends of what was told, by where it begins. */
  readonly #told = new Map<number, number>();

  get judged(): number {
    return this.#judged;
  }

  read(tail: Tail, to: number, isLast: boolean): News | undefined {
    const since = this.#judged;
    this.#judged = to;
    const grown = this.#goOn(tail, to);
    const found = this.#find(tail, since, to, isLast);
    if (grown.length === 0 && found.length === 0) {
      this.#growing = undefined;
      return undefined;
    }
    const findings = [...grown, ...found];
    const last = findings.at(-1);
    const news = findings.filter(({ start, end }) => (this.#told.get(start) ?? 0) < end);
    for (const { start, end } of news) this.#told.set(start, end);
    if (last?.end !== to) this.#growing = undefined;
    else if (last.start !== this.#growing?.start)
      this.#growing = { ...last, isBlock: tail.slice(last.start, last.start + 10) === "-----BEGIN" };
    return news.length === 0 ? undefined : { findings: news, normalised: [] };
  }

  #goOn(tail: Tail, to: number): readonly Finding[] {
    if (this.#growing === undefined) return NONE;
    const { isBlock, ...finding } = this.#growing;
    // The mark at its end may have begun before.
    const from = finding.end - (isBlock ? Math.min(LONG, finding.end - finding.start) : 0);
    const found = (isBlock ? AFTER_A_BLOCK : AFTER_A_WORD).exec(tail.slice(from, to));
    const stop = found?.indices?.[1]?.[1] ?? found?.index;
    const end = stop === undefined ? to : Math.max(finding.end, from + stop);
    if (end === to) this.#growing = { ...this.#growing, end };
    return end > finding.end ? [{ ...finding, end }] : [];
  }

  #find(tail: Tail, since: number, to: number, isLast: boolean): readonly Finding[] {
    const isRound = isLast || to - this.#lastRound >= ROUND;
    const isWorthIt =
      isRound ||
      this.#isWaiting ||
      (tail.recentSigns & WORTH_A_LOOK) !== 0 ||
      SPOKEN.test(tail.slice(since - LONG, to));
    if (!isWorthIt) return NONE;
    const offset = tail.viewStart(to, isRound ? to - this.#lastRound + VIEW : VIEW);
    if (isRound) {
      this.#lastRound = to;
      this.#forget(to);
    }
    const values = findPrivateData(tail.slice(offset, to));
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
    return ended;
  }

  #forget(to: number): void {
    for (const [start, end] of this.#told) if (end < to - ROUND - 2 * VIEW) this.#told.delete(start);
  }
}
