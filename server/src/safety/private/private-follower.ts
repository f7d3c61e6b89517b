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
const WORTH_A_LOOK = SIGN.digit | SIGN.at | SIGN.assignment | SIGN.unbroken;

const SPOKEN = /passw|passphrase/i;

/** Up to where a value goes on whose beginning is no longer in view: keys are one word, and blocks of them are lines of such. */
const AFTER_A_WORD = /[^\w+/=.~-]/;
const AFTER_A_BLOCK = /-----END[^-]{0,40}-----()|[^\w+/=\s:,.-]/d;

/** Follows an answer and tells keys and personal data in it. */
export class PrivateFollower implements Follower {
  #judged = 0;
  #lastRound = 0;
  /** A value that reached the end of what was read, and may go on. */
  #growing: (Finding & { readonly isBlock: boolean }) | undefined;

  get judged(): number {
    return this.#judged;
  }

  read(tail: Tail, to: number, isLast: boolean): News | undefined {
    const since = this.#judged;
    this.#judged = to;
    const findings = [...this.#goOn(tail, to), ...this.#find(tail, since, to, isLast)];
    const last = findings.at(-1);
    if (last?.end !== to) this.#growing = undefined;
    else if (last.start !== this.#growing?.start)
      this.#growing = { ...last, isBlock: tail.slice(last.start, last.start + 10) === "-----BEGIN" };
    return findings.length === 0 ? undefined : { findings, normalised: [] };
  }

  #goOn(tail: Tail, to: number): Finding[] {
    if (this.#growing === undefined) return [];
    const { isBlock, ...finding } = this.#growing;
    // The mark at its end may have begun before.
    const from = finding.end - (isBlock ? Math.min(LONG, finding.end - finding.start) : 0);
    const found = (isBlock ? AFTER_A_BLOCK : AFTER_A_WORD).exec(tail.slice(from, to));
    const stop = found?.indices?.[1]?.[1] ?? found?.index;
    const end = stop === undefined ? to : Math.max(finding.end, from + stop);
    if (end === to) this.#growing = { ...this.#growing, end };
    return end > finding.end ? [{ ...finding, end }] : [];
  }

  #find(tail: Tail, since: number, to: number, isLast: boolean): Finding[] {
    if (isLast || to - this.#lastRound >= ROUND) {
      const lastRound = this.#lastRound;
      this.#lastRound = to;
      return find(tail, to, to - lastRound + VIEW, lastRound, isLast);
    }
    const isWorthIt = (tail.recentSigns & WORTH_A_LOOK) !== 0 || SPOKEN.test(tail.slice(since - LONG, to));
    return isWorthIt ? find(tail, to, VIEW, since, isLast) : [];
  }
}

/** A value counts once something stands after it: half a number may pass for a whole one. */
function find(tail: Tail, to: number, characters: number, since: number, isLast: boolean): Finding[] {
  const offset = tail.viewStart(to, characters);
  return findPrivateData(tail.slice(offset, to))
    .map(({ weight, start, end, ...datum }) => ({
      ...datum,
      score: weight,
      start: start + offset,
      end: end + offset,
    }))
    .filter(({ start, end }) => end >= since && (end < to || isLast || to - start >= LONG));
}
