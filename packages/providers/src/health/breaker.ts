import type { OutageCause } from "@trunkline/core/provider-failure.ts";

const FIRST_OPEN_MS = 5_000;
/** Together with the ramp, an endpoint that works again is fully back within half a minute. */
const OPEN_MS_MAX = 20_000;
const FIRST_OUTAGE_RETRY_MS = 300_000;
const OUTAGE_RETRY_MS_MAX = 3_600_000;
/** The longest pause that an endpoint may ask for. */
export const PAUSE_MS_MAX = 600_000;

/** The random share of a time, so that many instances do not come back at the same moment. */
const JITTER = 0.2;
/** A recovering endpoint gets all of its traffic back after this time, or after this many answers. */
const RAMP_MS = 10_000;
const RAMP_SUCCESSES = 20;
/** The share of the traffic that it starts with. */
const RAMP_FLOOR = 0.1;

/** How long a breaker stays open after this many openings in a row. */
function openMsFor(openings: number): number {
  return Math.min(FIRST_OPEN_MS * 2 ** openings, OPEN_MS_MAX);
}

/** How long until a call tries a provider that refuses us. That takes minutes to fix, and each try may count there. */
function outageRetryMsFor(tries: number): number {
  return Math.min(FIRST_OUTAGE_RETRY_MS * 2 ** tries, OUTAGE_RETRY_MS_MAX);
}

/** The longest time that a breaker stays open without a try. */
export function openMsLimit(isRefused: boolean): number {
  return isRefused ? OUTAGE_RETRY_MS_MAX * (1 + JITTER) : OPEN_MS_MAX;
}

const CONSECUTIVE_FAILURES = 5;
/** The limit while calls that started after the first failure do answer: then failures are only occasional. */
const CONSECUTIVE_FAILURES_WHILE_ANSWERING = 10;
/** How many calls the error rate is computed from, one bit each. */
const WINDOW = 20;
const WINDOW_MASK = (1 << WINDOW) - 1;
/** A slot that was not released for this long is free again: no call lasts that long. */
const SLOT_EXPIRES_MS = 900_000;

type BreakerState = "closed" | "open" | "half-open" | "ramping";

/** Why an endpoint was ejected: it failed, it became slow, or its provider refuses to serve us. */
export type EjectionCause = "failures" | "slow" | OutageCause;

export type BreakerTransition =
  | { readonly kind: "ejected"; readonly why: EjectionCause }
  | { readonly kind: "recovering"; readonly endsOutage: boolean }
  | { readonly kind: "reset" }
  | { readonly kind: "paused" };

/** The state of a breaker, with all times from one clock. */
export interface BreakerSnapshot {
  /** When the state last changed. Of two instances' states, the newer one counts. */
  readonly changedMs: number;
  /** How many times in a row the breaker has opened without closing in between; 0: closed. */
  readonly openings: number;
  readonly openUntilMs: number;
  /** When the ramp began; undefined: there is none. */
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
  // A zero would be a real moment on another clock.
  pausedUntilMs: Number.NEGATIVE_INFINITY,
};

/** The circuit breaker of one endpoint. Times are passed in, as milliseconds of a monotonic clock. */
export class Breaker {
  readonly #random: () => number;
  readonly #onTransition: (transition: BreakerTransition) => void;
  #snapshot = NEVER_OPENED;
  #consecutiveFailures = 0;
  /** When the first call of the current row of failures started. */
  #streakBegunMs = Number.NEGATIVE_INFINITY;
  /** Whether a call that started after that one has begun to answer. */
  #answeredSinceStreakBegan = false;
  /** The last calls, the newest in the lowest bit; 1: failed. */
  #recent = 0;
  #recentCount = 0;
  #rampSuccesses = 0;
  #slotTakenAtMs: number | undefined;

  constructor(random: () => number, onTransition: (transition: BreakerTransition) => void = () => undefined) {
    this.#random = random;
    this.#onTransition = onTransition;
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

  /** The share of the traffic that the endpoint should get. Time alone brings it to 1, also with little traffic. */
  trafficShareAt(nowMs: number): number {
    const { rampSinceMs } = this.#snapshot;
    if (rampSinceMs === undefined) return 1;
    const progress = Math.max((nowMs - rampSinceMs) / RAMP_MS, this.#rampSuccesses / RAMP_SUCCESSES);
    return Math.min(1, RAMP_FLOOR + (1 - RAMP_FLOOR) * progress);
  }

  /** When the state may next change by time alone. */
  nextTransitionMs(nowMs: number): number {
    const { pausedUntilMs, openUntilMs } = this.#snapshot;
    if (nowMs < pausedUntilMs) return pausedUntilMs;
    return nowMs < openUntilMs ? openUntilMs : Number.POSITIVE_INFINITY;
  }

  /** Whether `admit` would return true. Takes no slot. */
  wouldAdmit(nowMs: number): boolean {
    const state = this.stateAt(nowMs);
    if (state !== "half-open") return state !== "open";
    return this.#slotTakenAtMs === undefined || nowMs - this.#slotTakenAtMs >= SLOT_EXPIRES_MS;
  }

  /** Whether a call may start. A half-open breaker admits one at a time; a ramping one's share was drawn before. */
  admit(nowMs: number): boolean {
    if (!this.wouldAdmit(nowMs)) return false;
    if (this.stateAt(nowMs) === "half-open") this.#slotTakenAtMs = nowMs;
    return true;
  }

  /** A success starts or advances the ramp. It never shortens a pause that the endpoint asked for. */
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

  /** A call has begun to answer. Its outcome is not known yet. */
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
    // A failure ends a recovery. While the breaker is open, earlier calls may still fail: that changes nothing.
    if (state === "half-open" || state === "ramping" || (state === "closed" && tripped))
      this.#open(nowMs, this.#snapshot.outage?.why ?? "failures");
  }

  /** The endpoint answers far more slowly than usual. */
  slowed(nowMs: number): void {
    this.#finishRamp(nowMs);
    if (this.stateAt(nowMs) !== "open") this.#open(nowMs, "slow");
  }

  /** The provider refuses to serve us: tries become rare until the owner calls for a reset. */
  refused(nowMs: number, why: OutageCause): void {
    this.#finishRamp(nowMs);
    const { outage } = this.#snapshot;
    // A last-resort call before the next try is due tells nothing new.
    if (outage !== undefined && this.stateAt(nowMs) === "open") return;
    this.#snapshot = { ...this.#snapshot, outage: { why, sinceMs: outage?.sinceMs ?? nowMs } };
    if (outage === undefined) this.#snapshot = { ...this.#snapshot, openings: 0 };
    this.#open(nowMs, why);
  }

  /** The owner acted on the outage: the next call tries the endpoint. */
  reset(nowMs: number): void {
    if (this.#snapshot.outage === undefined) return;
    this.#slotTakenAtMs = undefined;
    this.#update(nowMs, { openUntilMs: nowMs, openings: 1 });
    this.#onTransition({ kind: "reset" });
  }

  /** Admits no call for as long as the endpoint asked. */
  pause(nowMs: number, seconds: number): void {
    this.release();
    const untilMs = nowMs + Math.min(seconds * 1_000, PAUSE_MS_MAX);
    if (!(untilMs > nowMs) || untilMs <= this.#snapshot.pausedUntilMs) return;
    this.#snapshot = { ...this.#snapshot, pausedUntilMs: untilMs };
    this.#onTransition({ kind: "paused" });
  }

  /** Frees the slot of a half-open breaker without an outcome. */
  release(): void {
    this.#slotTakenAtMs = undefined;
  }

  /** Takes over another instance's state if it is newer, and the longer pause in any case. True if anything changed. */
  mergePeer(peer: BreakerSnapshot): boolean {
    const own = this.#snapshot;
    const pausedUntilMs = Math.max(own.pausedUntilMs, peer.pausedUntilMs);
    if (peer.changedMs > own.changedMs) {
      this.#snapshot = { ...peer, pausedUntilMs };
      this.#consecutiveFailures = 0;
      this.#recentCount = 0;
      this.#rampSuccesses = 0;
      this.#slotTakenAtMs = undefined;
      return true;
    }
    this.#snapshot = { ...own, pausedUntilMs };
    return pausedUntilMs !== own.pausedUntilMs;
  }

  /** An answer to a call that started before the failures says nothing about the endpoint now. */
  #isStale(begunMs: number): boolean {
    const { openings, rampSinceMs, changedMs, outage } = this.#snapshot;
    // An outage refuses every call: an answered one ends it, whenever it started.
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

  /** A completed ramp closes the breaker. */
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
