import type { Verdict } from "../../domain/verdict.ts";
import type { Follower, News } from "../detector.ts";
import type { Guard } from "../guard.ts";
import { refuseOutput } from "../refusal.ts";
import type { Steps } from "../turns.ts";
import { VerdictTally } from "../verdict-tally.ts";
import { JsonPlace } from "./json-place.ts";
import { Omissions } from "./omissions.ts";
import { STRIDE, Tail } from "./tail.ts";

/** How much of what was judged stays back, so that words which only later prove to begin something unsafe are still here. */
const MARGIN = 47;
/** What is never exceeded, whoever has not made up his mind yet. One less than is said, as a character may be two. */
const HELD_MAX = 63;
/** How much of the answer those who follow it can look back on. */
const CONTEXT = 512;
/** So many strides are judged without a stop; in a longer part, every one may be the last for a while. */
const STRIDES_AT_ONCE = 8;

interface WatchTerms {
  /** Whether a value stays that would be taken out otherwise. */
  readonly stays?: (value: string) => boolean;
  /** Places in words that are not the answer's own text, such as thoughts, are told nobody. */
  readonly tellsPlaces?: boolean;
  /** The text is JSON, and stays so whatever is taken out of it. */
  readonly isJson?: boolean;
}

/**
 * Follows one text of an answer as it grows and lets go of what is safe. Never keeps back more than 64 characters.
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
  /** Whether what is here was judged as the end of the text. */
  #isClosed = true;

  constructor(guard: Guard, followers: readonly Follower[], terms: WatchTerms = {}) {
    this.#guard = guard;
    this.#followers = followers;
    this.#stays = terms.stays ?? (() => false);
    this.#tellsPlaces = terms.tellsPlaces ?? true;
    this.#omissions = new Omissions(terms.isJson === true && guard.redacts ? new JsonPlace() : undefined);
  }

  /** What was made of the text so far. */
  get verdict(): Verdict {
    return this.#tally.verdict();
  }

  /** How many values of each kind were taken out of it. */
  get omitted(): ReadonlyMap<string, number> {
    return this.#omissions.counts;
  }

  /** Takes more of the text and gives back what can be passed on, or throws the refusal. Stops where there is much of it. */
  *read(text: string): Steps<string> {
    if (text === "") return "";
    this.#tail.append(text);
    this.#isClosed = false;
    for (let strides = 1; this.#judged + STRIDE <= this.#tail.end; strides += 1) {
      this.#judge(this.#tail.strideEnd(this.#judged), false);
      if (strides >= STRIDES_AT_ONCE) yield;
    }
    return this.#release(this.#safe());
  }

  /** Judges what is left and gives it all back. */
  flush(): string {
    if (!this.#isClosed) this.#judge(this.#tail.end, true);
    this.#isClosed = true;
    return this.#release(this.#tail.end);
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
    const verdict = this.#guard.weigh(news);
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
    return this.#tail.wholeBefore(Math.max(safe, this.#tail.end - HELD_MAX));
  }

  #release(wanted: number): string {
    const to = Math.max(wanted, this.#released);
    const text = this.#omissions.leaveOut(this.#tail.slice(this.#released, to), this.#released);
    this.#released = to;
    return text;
  }
}
