import type { Clock } from "@trunkline/core/clock.ts";
import type { RateLimit } from "@trunkline/core/rate-limit.ts";
import type { RateWindows } from "./rate-windows.ts";
import { HAIR, type RateTerms, type TokenAnswer, takeTokens, WINDOW_MS } from "./take-tokens.ts";

/** A lease is this part of a minute's tokens: what instances hold unused is the error of the whole, so it is kept small. */
const LEASES_IN_A_LIMIT = 100;
/** Tokens that nobody used are worth nothing after this: by then the window has forgotten them. */
const LAPSE_MS = WINDOW_MS;
/** A lease that is used at all is renewed ahead before it lapses. */
const AGEING_MS = LAPSE_MS / 2;
/** Where there is none, a wait brings at least this part of a lease: a tenth of a second's tokens. */
const LEAST_USEFUL = 1 / 6;
/** How long nothing is asked ahead of need once the store was away. */
const AWAY_MS = 1_000;

/**
 * The tokens of one key that this instance may spend without asking. Knows by its own reckoning what the shared bucket
 * holds, asks for more ahead of need, and where there is none remembers until when.
 */
export class TokenLease {
  readonly terms: RateTerms;
  readonly #keyId: string;
  readonly #windows: RateWindows;
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #size: number;
  #tokens = 0;
  #takenAtMs = 0;
  /** What may come at once, in hand and in the shared bucket together. */
  #level: number;
  #levelAtMs: number;
  /** Whether that was the whole burst at some time since the last answer. */
  #wasFull = true;
  /** The same for the window. That it grows is known only from the next answer. */
  #room: number;
  #roomyAtMs = 0;
  #closedUntilMs = Number.NEGATIVE_INFINITY;
  #aheadFromMs = Number.NEGATIVE_INFINITY;
  #turnedAway = 0;
  #waiting = 0;
  #onItsWay: Promise<void> | undefined;

  constructor(keyId: string, terms: RateTerms, windows: RateWindows, clock: Clock) {
    this.terms = terms;
    this.#keyId = keyId;
    this.#windows = windows;
    this.#clock = clock;
    this.#perMs = terms.limit / WINDOW_MS;
    this.#size = Math.max(1, Math.floor(terms.limit / LEASES_IN_A_LIMIT));
    this.#level = terms.burst;
    this.#levelAtMs = clock.monotonicMs();
    this.#room = terms.limit;
  }

  /** Spends one token, if there is one in hand. */
  spend(nowMs: number): boolean {
    if (this.#tokens === 0 || nowMs - this.#takenAtMs >= LAPSE_MS) return false;
    this.#tokens -= 1;
    this.#refill(nowMs);
    this.#level -= 1;
    this.#room -= 1;
    const isLow = this.#tokens * 2 < this.#size || nowMs - this.#takenAtMs >= AGEING_MS;
    if (isLow) this.#askAhead(nowMs);
    return true;
  }

  /** Whether it is known without asking that there is none yet. */
  isClosed(nowMs: number): boolean {
    return nowMs < this.#closedUntilMs - HAIR;
  }

  /** Counts one who is turned away, and says for how long. */
  turnAway(nowMs: number): number {
    this.#turnedAway += 1;
    return this.#closedUntilMs - nowMs;
  }

  /** Where the key stands, as far as this instance knows. */
  standing(nowMs: number): RateLimit {
    this.#refill(nowMs);
    const untilFullMs = (this.terms.burst - this.#level - HAIR) / this.#perMs;
    const untilWholeMs = Math.max(0, untilFullMs, this.#roomyAtMs - nowMs);
    return {
      limit: this.terms.limit,
      windowSeconds: WINDOW_MS / 1000,
      left: Math.max(0, Math.floor(Math.min(this.#level, this.#room) + HAIR)),
      resetSeconds: Math.ceil(untilWholeMs / 1000),
    };
  }

  /**
   * Spends one as soon as there are more, those on their way or those it asks for; false where there are none for a while.
   * Fails with the store's own fault.
   */
  async spendLater(): Promise<boolean> {
    for (;;) {
      this.#waiting += 1;
      try {
        await (this.#onItsWay ?? this.#ask());
      } finally {
        this.#waiting -= 1;
      }
      const nowMs = this.#clock.monotonicMs();
      if (this.spend(nowMs)) return true;
      // Where others were faster and there are more to be had, it asks again.
      if (this.isClosed(nowMs)) return false;
    }
  }

  #askAhead(nowMs: number): void {
    // A lease of one is taken when it is needed: what an instance holds ahead others can't have.
    if (this.#size === 1 || this.#onItsWay !== undefined) return;
    if (nowMs < this.#aheadFromMs || this.isClosed(nowMs)) return;
    // Where it fails nobody is waiting: whoever needs the store next will hear of it.
    this.#ask().catch(() => undefined);
  }

  #ask(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#takenAtMs >= LAPSE_MS) this.#tokens = 0;
    this.#refill(nowMs);
    const ask = {
      want: Math.max(this.#size, this.#waiting) - this.#tokens,
      // Those who were turned away show how many would come, which saves questions where it is many.
      useful: Math.min(Math.max(1, this.#turnedAway, Math.round(this.#size * LEAST_USEFUL)), this.#size),
      ceiling: this.#wasFull ? this.#level - this.#tokens : Number.POSITIVE_INFINITY,
    };
    const answer = this.#windows.change(this.#keyId, (known, storeMs) =>
      takeTokens(known, storeMs, this.terms, ask),
    );
    this.#onItsWay = this.#receive(answer, ask.want);
    return this.#onItsWay;
  }

  async #receive(coming: Promise<TokenAnswer>, want: number): Promise<void> {
    try {
      const answer = await coming;
      const nowMs = this.#clock.monotonicMs();
      if (answer.granted > 0) this.#takenAtMs = nowMs;
      this.#tokens += answer.granted;
      this.#level = this.#tokens + answer.tokens;
      this.#levelAtMs = nowMs;
      this.#wasFull = false;
      this.#room = this.#tokens + answer.room;
      this.#roomyAtMs = nowMs + answer.roomyMs;
      this.#closedUntilMs = nowMs + answer.waitMs;
      this.#turnedAway = 0;
      // Where tokens come one by one, half a lease of them is awaited before more are asked for ahead of need.
      if (answer.granted < want) this.#aheadFromMs = nowMs + this.#size / 2 / this.#perMs;
    } catch (error) {
      this.#aheadFromMs = this.#clock.monotonicMs() + AWAY_MS;
      throw error;
    } finally {
      this.#onItsWay = undefined;
    }
  }

  #refill(nowMs: number): void {
    this.#level += (nowMs - this.#levelAtMs) * this.#perMs;
    this.#levelAtMs = nowMs;
    if (this.#level < this.terms.burst) return;
    this.#level = this.terms.burst;
    this.#wasFull = true;
  }
}
