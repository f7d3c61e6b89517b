import type { Verdict } from "@trunkline/core/verdict.ts";
import type { Follower, News } from "../detector.ts";
import type { Guard } from "../policy/guard.ts";
import { refuseOutput } from "../policy/refusal.ts";
import { VerdictTally } from "../policy/verdict-tally.ts";
import type { Steps } from "../resumable.ts";
import { STRIDE, Tail } from "../tail.ts";
import { JsonPlace } from "./json-position.ts";
import { Omissions } from "./omissions.ts";

/** How much of what was judged stays back, so that words which only later prove to begin something unsafe are still here. */
const MARGIN = 47;
/** What is never exceeded, whoever has not made up his mind yet, but for a word that may be a value. One less than is said, as a character may be two. */
const HELD_MAX = 63;
/** How much of the answer those who follow it can look back on. */
const CONTEXT = 512;
/** So many strides are judged in one go; in a longer part, others may have their turn after each. */
const STRIDES_AT_ONCE = 8;
/** A text of so many characters is read without a stop. */
export const SHORT = STRIDE * STRIDES_AT_ONCE;
/** So much is read or given back in one go, so that what is kept of a longer part does not grow with it. */
const AT_ONCE = 8192;

const SENTENCE_END = /[.!?:;…。！？]["')\]]?\s+|\n\s*/;

interface WatchTerms {
  /** Whether a value stays that would be taken out otherwise. */
  readonly stays?: (value: string) => boolean;
  /** Places in words that are not the answer's own text, such as thoughts, are told nobody. */
  readonly tellsPlaces?: boolean;
  /** All of the text is JSON. What is stays so whatever is taken out of it, also between other words. */
  readonly isJson?: boolean;
}

/**
 * Follows one text of an answer as it grows and lets go of what is safe. Keeps back 64 characters at the most, and more only
 * where values are taken out and a word may prove to be one.
 * Where it judges depends on the words alone and not on the pieces in which they arrive: a whole answer is judged at the
 * very places at which the same one is judged in a stream.
 */
export class OutputWatch {
  readonly #guard: Guard;
  readonly #followers: readonly Follower[];
  readonly #stays: (value: string) => boolean;
  readonly #tellsPlaces: boolean;
  readonly #tally = new VerdictTally();
  readonly #omissions: Omissions;
  readonly #tail = new Tail();
  #judged = 0;
  #released = 0;
  /** Up to where it could be passed on, were it not for the stops. */
  #clear = 0;
  /** Places at which something else has its turn first. */
  readonly #stops: number[] = [];
  /** Whether what is here was judged as the end of the text. */
  #isClosed = true;

  constructor(guard: Guard, followers: readonly Follower[], terms: WatchTerms = {}) {
    this.#guard = guard;
    this.#followers = followers;
    this.#stays = terms.stays ?? (() => false);
    this.#tellsPlaces = terms.tellsPlaces ?? true;
    this.#omissions = new Omissions(guard.redacts ? new JsonPlace(terms.isJson) : undefined);
  }

  /** What was made of the text so far. */
  get verdict(): Verdict {
    return this.#tally.verdict();
  }

  /** How many values of each kind were taken out of it. */
  get omitted(): ReadonlyMap<string, number> {
    return this.#omissions.counts;
  }

  get isHolding(): boolean {
    return this.#released < this.#tail.end;
  }

  /** Whether all up to the next stop was passed on. */
  get isAtStop(): boolean {
    return this.#stops[0] === this.#released;
  }

  /** Passes nothing on from here, the end of what was read, until told to go on. false: there is a stop here. */
  stop(): boolean {
    if (this.#stops.at(-1) === this.#tail.end) return false;
    this.#stops.push(this.#tail.end);
    return true;
  }

  /** Whether the words end in the middle of something that may be a value to be taken out. */
  get mayGoOn(): boolean {
    return this.#guard.redacts && this.#undecidedFrom() < this.#tail.end;
  }

  /** Moves the stops before what may go on, so that it stays in one piece, and gives back what stands before it. */
  stepBack(): Steps<string> {
    this.#judgeRest();
    const from = this.#undecidedFrom();
    for (const [index, stop] of this.#stops.entries()) this.#stops[index] = Math.min(stop, from);
    this.#clear = Math.max(this.#clear, from);
    return this.#releaseClear();
  }

  /** Behind the last sentence or line that is over; a number or an address may be of several words. */
  #undecidedFrom(): number {
    const held = this.#tail.slice(this.#released, this.#tail.end);
    const over = held.length - (held.split(SENTENCE_END).at(-1) ?? "").length;
    return this.#doubtless(this.#released + over);
  }

  /** Leaves the stop and gives back what can be passed on up to the next one. */
  goOn(): Steps<string> {
    this.#stops.shift();
    return this.#releaseClear();
  }

  /** Takes more of the text and gives back what can be passed on, up to the next stop, or throws the refusal. */
  *read(text: string): Steps<string> {
    let safe = "";
    for (let at = 0; at < text.length; at += AT_ONCE)
      safe += yield* this.#readSlice(text.slice(at, at + AT_ONCE));
    return safe;
  }

  *#readSlice(text: string): Steps<string> {
    this.#append(text);
    for (let strides = 1; this.#judgeStride(); strides += 1) if (strides >= STRIDES_AT_ONCE) yield;
    this.#clearSafe();
    return yield* this.#releaseClear();
  }

  /** The same of a few words, at once. */
  readShort(text: string): string {
    if (text === "") return "";
    this.#append(text);
    while (this.#judgeStride());
    this.#clearSafe();
    return this.#release(this.#clear);
  }

  #append(text: string): void {
    this.#tail.append(text);
    this.#isClosed = false;
  }

  /** Whether there was another one. */
  #judgeStride(): boolean {
    if (this.#judged + STRIDE > this.#tail.end) return false;
    this.#judge(this.#tail.strideEnd(this.#judged), false);
    return true;
  }

  #clearSafe(): void {
    this.#clear = Math.max(this.#clear, this.#safe());
  }

  /** Judges what is left and gives it all back, up to the next stop. */
  flush(): string {
    this.#judgeRest();
    this.#clear = this.#tail.end;
    return this.#release(this.#clear);
  }

  #judgeRest(): void {
    if (!this.#isClosed) this.#judge(this.#tail.end, true);
    this.#isClosed = true;
  }

  #judge(to: number, isLast: boolean): void {
    this.#tail.turnTo(this.#judged, to);
    this.#judged = to;
    for (const follower of this.#followers) {
      const news = follower.read(this.#tail, to, isLast);
      if (news !== undefined) this.#settle(news);
    }
    this.#tail.forgetBefore(Math.min(this.#released, to - CONTEXT));
  }

  #settle(news: News): void {
    const findings = news.findings.map((finding) => {
      const start = this.#tail.wholeBefore(finding.start);
      const end = this.#tail.wholeBefore(finding.end);
      return start === finding.start && end === finding.end ? finding : { ...finding, start, end };
    });
    const verdict = this.#guard.weigh({ ...news, findings });
    this.#tally.add(verdict, 0);
    if (verdict.action === "refuse")
      throw refuseOutput(this.#guard.policy, this.#tellsPlaces ? verdict : { ...verdict, spans: [] });
    if (verdict.action === "redact")
      this.#omissions.note(this.#guard.policy, verdict, ({ start, end }) =>
        this.#stays(this.#tail.slice(start, end)),
      );
  }

  /** Up to where everybody has made up his mind. */
  #safe(): number {
    let safe = this.#judged - MARGIN;
    for (const { judged } of this.#followers) safe = Math.min(safe, judged);
    const to = this.#tail.wholeBefore(Math.max(safe, this.#tail.end - HELD_MAX));
    return this.#guard.redacts ? this.#doubtless(to) : to;
  }

  /** That place, or where something before it begins that may be a value. */
  #doubtless(place: number): number {
    let to = place;
    for (const { doubtsFrom } of this.#followers) to = Math.min(to, doubtsFrom ?? to);
    return Math.max(to, this.#released);
  }

  *#releaseClear(): Steps<string> {
    let text = "";
    for (let to = this.#released + AT_ONCE; to < this.#clear; to += AT_ONCE) {
      text += this.#release(to);
      yield;
    }
    return text + this.#release(this.#clear);
  }

  #release(wanted: number): string {
    const to = Math.min(wanted, this.#stops[0] ?? wanted);
    const text = this.#omissions.leaveOut(this.#tail.slice(this.#released, to), this.#released);
    this.#released = to;
    return text;
  }
}
