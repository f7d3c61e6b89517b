const CONSECUTIVE_FAILURES = 5;
/** How many calls the error rate is read from; one bit each. */
const WINDOW = 20;
const WINDOW_MASK = (1 << WINDOW) - 1;
const FIRST_OPEN_MS = 5_000;
const LONGEST_OPEN_MS = 60_000;
/** Up to this much of an open time is cut off at random, so that many instances do not come back in one moment. */
const JITTER = 0.2;
const LONGEST_PAUSE_MS = 600_000;
/** A slot that nobody gave back for so long is free again: no call lasts that long. */
const SLOT_EXPIRES_MS = 900_000;

/** A circuit breaker of one endpoint. The time is handed in: milliseconds on a clock that never runs backwards. */
export class Breaker {
  readonly #random: () => number;
  #consecutive = 0;
  /** The last calls, the newest in the lowest bit; 1 is a failure. */
  #recent = 0;
  #recentCount = 0;
  /** How many times in a row it has opened without a success in between; 0: closed. */
  #openings = 0;
  #openUntilMs = 0;
  #pausedUntilMs = 0;
  #slotTakenAtMs: number | undefined;

  constructor(random: () => number) {
    this.#random = random;
  }

  stateAt(nowMs: number): "closed" | "open" | "half-open" {
    if (nowMs < this.#pausedUntilMs) return "open";
    if (this.#openings === 0) return "closed";
    return nowMs < this.#openUntilMs ? "open" : "half-open";
  }

  /** Whether `admit` would say yes. */
  wouldAdmit(nowMs: number): boolean {
    const state = this.stateAt(nowMs);
    if (state !== "half-open") return state === "closed";
    return this.#slotTakenAtMs === undefined || nowMs - this.#slotTakenAtMs >= SLOT_EXPIRES_MS;
  }

  /** Lets a call through or not. A half-open breaker lets one through at a time. */
  admit(nowMs: number): boolean {
    if (!this.wouldAdmit(nowMs)) return false;
    if (this.#openings > 0) this.#slotTakenAtMs = nowMs;
    return true;
  }

  /** A success closes the breaker, but never cuts short a pause that the endpoint asked for. */
  succeeded(): void {
    this.#consecutive = 0;
    if (this.#openings > 0) {
      this.#openings = 0;
      this.#slotTakenAtMs = undefined;
      this.#recentCount = 0;
    }
    this.#remember(0);
  }

  failed(nowMs: number): void {
    this.#consecutive++;
    this.#remember(1);
    const state = this.stateAt(nowMs);
    if (state === "half-open") this.#open(nowMs);
    else if (state === "closed" && (this.#consecutive >= CONSECUTIVE_FAILURES || this.#mostFail())) {
      this.#open(nowMs);
    }
    // While it is open, calls that began before may still fail: these are no news.
  }

  /** Lets nothing through for as long as the endpoint asked. */
  pause(nowMs: number, seconds: number): void {
    this.release();
    const pauseMs = Math.min(seconds * 1_000, LONGEST_PAUSE_MS);
    if (pauseMs > 0) this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + pauseMs);
  }

  /** Gives the slot of a half-open breaker back, with nothing learnt. */
  release(): void {
    this.#slotTakenAtMs = undefined;
  }

  #open(nowMs: number): void {
    const fullMs = Math.min(FIRST_OPEN_MS * 2 ** this.#openings, LONGEST_OPEN_MS);
    this.#openings++;
    this.#openUntilMs = nowMs + fullMs * (1 - JITTER * this.#random());
    this.#slotTakenAtMs = undefined;
  }

  #remember(bit: 0 | 1): void {
    this.#recent = ((this.#recent << 1) | bit) & WINDOW_MASK;
    if (this.#recentCount < WINDOW) this.#recentCount++;
  }

  #mostFail(): boolean {
    if (this.#recentCount < WINDOW) return false;
    let failures = 0;
    for (let bits = this.#recent; bits !== 0; bits &= bits - 1) failures++;
    return failures * 2 > WINDOW;
  }
}
