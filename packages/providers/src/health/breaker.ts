import type { OutageCause } from "@trunkline/core/provider-failure.ts";

const FIRST_OPEN_MS = 5_000;
/** With the time of the ramp: whoever is well again is wholly back within half a minute. */
const OPEN_MS_MAX = 20_000;
const FIRST_OUTAGE_RETRY_MS = 300_000;
const OUTAGE_RETRY_MS_MAX = 3_600_000;
/** For how long an endpoint may ask to be left alone. */
export const PAUSE_MS_MAX = 600_000;

/** So much of a time is left to chance at most, so that many instances do not come back in one moment. */
const JITTER = 0.2;
/** How long an endpoint that answered again takes to get all of its traffic back, or after how many more answers. */
const RAMP_MS = 10_000;
const RAMP_SUCCESSES = 20;
/** With which share it begins. */
const RAMP_FLOOR = 0.1;

/** How long an endpoint is left alone that failed again after so many openings in a row. */
function openMsFor(openings: number): number {
  return Math.min(FIRST_OPEN_MS * 2 ** openings, OPEN_MS_MAX);
}

/** How long until one is tried again whose provider refuses us. Nobody mends that in seconds, and each try may count there. */
function outageRetryMsFor(tries: number): number {
  return Math.min(FIRST_OUTAGE_RETRY_MS * 2 ** tries, OUTAGE_RETRY_MS_MAX);
}

/** Nothing is left alone for longer than this without being tried. */
export function openMsLimit(isRefused: boolean): number {
  return isRefused ? OUTAGE_RETRY_MS_MAX * (1 + JITTER) : OPEN_MS_MAX;
}

const CONSECUTIVE_FAILURES = 5;
/** So many where calls that began after the first of them do speak: then it fails now and then, and answers take long. */
const CONSECUTIVE_FAILURES_WHILE_ANSWERING = 10;
/** How many calls the error rate is read from; one bit each. */
const WINDOW = 20;
const WINDOW_MASK = (1 << WINDOW) - 1;
/** A slot that nobody gave back for so long is free again: no call lasts that long. */
const SLOT_EXPIRES_MS = 900_000;

type BreakerState = "closed" | "open" | "half-open" | "ramping";

/** Why an endpoint was taken out: it failed, it became slow, or its provider refuses to serve us. */
export type EjectionCause = "failures" | "slow" | OutageCause;

/** What happened to it. */
export type BreakerTransition =
  | { readonly kind: "ejected"; readonly why: EjectionCause }
  | { readonly kind: "recovering"; readonly endsOutage: boolean }
  | { readonly kind: "mended" }
  | { readonly kind: "paused" };

/** What a breaker stands at, all of it on one clock. */
export interface BreakerSnapshot {
  /** When this came to be: of two, the newer is true. */
  readonly changedMs: number;
  /** How many times in a row it has opened without having come back in between; 0: closed. */
  readonly openings: number;
  readonly openUntilMs: number;
  /** Since when it is coming back; undefined: it is not. */
  readonly rampSinceMs: number | undefined;
  readonly outage: { readonly why: OutageCause; readonly sinceMs: number } | undefined;
  readonly pausedUntilMs: number;
}

const NEVER_OPENED: BreakerSnapshot = {
  changedMs: Number.NEGATIVE_INFINITY,
  openings: 0,
  openUntilMs: 0,
  rampSinceMs: undefined,
  outage: undefined,
  // A nought would be a moment on every other clock.
  pausedUntilMs: Number.NEGATIVE_INFINITY,
};

/** A circuit breaker of one endpoint. The time is handed in: milliseconds on a clock that never runs backwards. */
export class Breaker {
  readonly #random: () => number;
  readonly #onTransition: (turn: BreakerTransition) => void;
  #snapshot = NEVER_OPENED;
  #consecutiveFailures = 0;
  /** When the call began that was the first to fail in this row. */
  #streakBegunMs = Number.NEGATIVE_INFINITY;
  /** Whether a call that began after it has spoken since. */
  #answeredSinceStreakBegan = false;
  /** The last calls, the newest in the lowest bit; 1 is a failure. */
  #recent = 0;
  #recentCount = 0;
  #rampSuccesses = 0;
  #slotTakenAtMs: number | undefined;

  constructor(random: () => number, onTurn: (turn: BreakerTransition) => void = () => undefined) {
    this.#random = random;
    this.#onTransition = onTurn;
  }

  get snapshot(): BreakerSnapshot {
    return this.#snapshot;
  }

  stateAt(nowMs: number): BreakerState {
    const { pausedUntilMs, openings, rampSinceMs, openUntilMs } = this.#snapshot;
    if (nowMs < pausedUntilMs) return "open";
    if (openings === 0) return "closed";
    if (rampSinceMs !== undefined) return this.trafficShareAt(nowMs) < 1 ? "ramping" : "closed";
    return nowMs < openUntilMs ? "open" : "half-open";
  }

  /** Which share of the calls it should get. Time alone brings it to 1, so that little traffic keeps nobody out. */
  trafficShareAt(nowMs: number): number {
    const { rampSinceMs } = this.#snapshot;
    if (rampSinceMs === undefined) return 1;
    const progress = Math.max((nowMs - rampSinceMs) / RAMP_MS, this.#rampSuccesses / RAMP_SUCCESSES);
    return Math.min(1, RAMP_FLOOR + (1 - RAMP_FLOOR) * progress);
  }

  /** When the state may be another without anything having happened. */
  nextTransitionMs(nowMs: number): number {
    const { pausedUntilMs, openUntilMs } = this.#snapshot;
    if (nowMs < pausedUntilMs) return pausedUntilMs;
    return nowMs < openUntilMs ? openUntilMs : Number.POSITIVE_INFINITY;
  }

  /** Whether `admit` would say yes. */
  wouldAdmit(nowMs: number): boolean {
    const state = this.stateAt(nowMs);
    if (state !== "half-open") return state !== "open";
    return this.#slotTakenAtMs === undefined || nowMs - this.#slotTakenAtMs >= SLOT_EXPIRES_MS;
  }

  /** Lets a call through or not. A half-open breaker lets one through at a time; whose share it is was drawn before. */
  admit(nowMs: number): boolean {
    if (!this.wouldAdmit(nowMs)) return false;
    if (this.stateAt(nowMs) === "half-open") this.#slotTakenAtMs = nowMs;
    return true;
  }

  /** A success brings an endpoint back, step by step, but never cuts short a pause that it asked for. */
  succeeded(nowMs: number, begunMs = nowMs): void {
    if (this.#isStale(begunMs)) return;
    this.#consecutiveFailures = 0;
    this.#finishRamp(nowMs);
    if (this.#snapshot.rampSinceMs !== undefined) this.#rampSuccesses++;
    else if (this.#snapshot.openings > 0) {
      this.#slotTakenAtMs = undefined;
      this.#recentCount = 0;
      this.#rampSuccesses = 1;
      const endsOutage = this.#snapshot.outage !== undefined;
      this.#update(nowMs, { rampSinceMs: nowMs, openUntilMs: 0, outage: undefined });
      this.#onTransition({ kind: "recovering", endsOutage });
    }
    this.#recordOutcome(0);
  }

  /** A call has begun to answer. Whether it will end well is not known. */
  firstPart(begunMs: number): void {
    if (this.#consecutiveFailures > 0 && begunMs > this.#streakBegunMs) this.#answeredSinceStreakBegan = true;
  }

  failed(nowMs: number, begunMs = Number.NEGATIVE_INFINITY): void {
    this.#finishRamp(nowMs);
    if (this.#consecutiveFailures === 0) {
      this.#streakBegunMs = begunMs;
      this.#answeredSinceStreakBegan = false;
    }
    this.#consecutiveFailures++;
    this.#recordOutcome(1);
    const state = this.stateAt(nowMs);
    const enough = this.#answeredSinceStreakBegan ? CONSECUTIVE_FAILURES_WHILE_ANSWERING : CONSECUTIVE_FAILURES;
    const tripped = this.#consecutiveFailures >= enough || this.#majorityFailed();
    // Whoever fails while coming back is not back. While it is open, calls that began before may still fail: no news.
    if (state === "half-open" || state === "ramping" || (state === "closed" && tripped))
      this.#open(nowMs, this.#snapshot.outage?.why ?? "failures");
  }

  /** Answers, but so slowly that others do better. */
  slowed(nowMs: number): void {
    this.#finishRamp(nowMs);
    if (this.stateAt(nowMs) !== "open") this.#open(nowMs, "slow");
  }

  /** The provider refuses to serve us: only rarely tried again until somebody does something about it. */
  refused(nowMs: number, why: OutageCause): void {
    this.#finishRamp(nowMs);
    const { outage } = this.#snapshot;
    // Who is called as the last resort before it is due learns nothing new.
    if (outage !== undefined && this.stateAt(nowMs) === "open") return;
    this.#snapshot = { ...this.#snapshot, outage: { why, sinceMs: outage?.sinceMs ?? nowMs } };
    if (outage === undefined) this.#snapshot = { ...this.#snapshot, openings: 0 };
    this.#open(nowMs, why);
  }

  /** Somebody did something about it: the next call tries it. */
  reset(nowMs: number): void {
    if (this.#snapshot.outage === undefined) return;
    this.#slotTakenAtMs = undefined;
    this.#update(nowMs, { openUntilMs: nowMs, openings: 1 });
    this.#onTransition({ kind: "mended" });
  }

  /** Lets nothing through for as long as the endpoint asked. */
  pause(nowMs: number, seconds: number): void {
    this.release();
    const untilMs = nowMs + Math.min(seconds * 1_000, PAUSE_MS_MAX);
    if (!(untilMs > nowMs) || untilMs <= this.#snapshot.pausedUntilMs) return;
    this.#snapshot = { ...this.#snapshot, pausedUntilMs: untilMs };
    this.#onTransition({ kind: "paused" });
  }

  /** Gives the slot of a half-open breaker back, with nothing learnt. */
  release(): void {
    this.#slotTakenAtMs = undefined;
  }

  /** Another instance's word: what is newer counts, and a pause is kept by all. True where it changed something. */
  mergePeer(theirs: BreakerSnapshot): boolean {
    const ours = this.#snapshot;
    const pausedUntilMs = Math.max(ours.pausedUntilMs, theirs.pausedUntilMs);
    if (theirs.changedMs > ours.changedMs) {
      this.#snapshot = { ...theirs, pausedUntilMs };
      this.#consecutiveFailures = 0;
      this.#recentCount = 0;
      this.#rampSuccesses = 0;
      this.#slotTakenAtMs = undefined;
      return true;
    }
    this.#snapshot = { ...ours, pausedUntilMs };
    return pausedUntilMs !== ours.pausedUntilMs;
  }

  /** An answer to a call from before the trouble began says nothing of how the endpoint does now. */
  #isStale(begunMs: number): boolean {
    const { openings, rampSinceMs, changedMs, outage } = this.#snapshot;
    // Who refuses us refuses every call: one that is answered ends that, whenever it began.
    if (openings > 0 && rampSinceMs === undefined) return outage === undefined && begunMs < changedMs;
    return this.#consecutiveFailures > 0 && begunMs < this.#streakBegunMs;
  }

  #open(nowMs: number, why: EjectionCause): void {
    const { openings, outage } = this.#snapshot;
    const openMs =
      outage === undefined
        ? openMsFor(openings) * (1 - JITTER * this.#random())
        : outageRetryMsFor(openings) * (1 + JITTER * this.#random());
    this.#slotTakenAtMs = undefined;
    this.#update(nowMs, { openings: openings + 1, openUntilMs: nowMs + openMs, rampSinceMs: undefined });
    this.#onTransition({ kind: "ejected", why });
  }

  /** One that is wholly back starts over. */
  #finishRamp(nowMs: number): void {
    if (this.#snapshot.rampSinceMs === undefined || this.trafficShareAt(nowMs) < 1) return;
    this.#update(this.#snapshot.changedMs, { openings: 0, rampSinceMs: undefined });
  }

  #update(changedMs: number, change: Partial<BreakerSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change, changedMs };
  }

  #recordOutcome(bit: 0 | 1): void {
    this.#recent = ((this.#recent << 1) | bit) & WINDOW_MASK;
    if (this.#recentCount < WINDOW) this.#recentCount++;
  }

  #majorityFailed(): boolean {
    if (this.#recentCount < WINDOW) return false;
    let failures = 0;
    for (let bits = this.#recent; bits !== 0; bits &= bits - 1) failures++;
    return failures * 2 > WINDOW;
  }
}
