import type { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Health } from "@trunkline/core/route.ts";
import { Breaker, type BreakerSnapshot, type BreakerTransition } from "./breaker.ts";
import type { EndpointMeasurements } from "./endpoint-snapshot.ts";
import { EndpointSpeed } from "./endpoint-speed.ts";
import { type CallMeasurement, firstTokenMsOf, streamedSpan } from "./endpoint-totals.ts";
import { PendingCalls, SlowdownDetector } from "./slow-detection.ts";
import { DecayedRate, QueueDelayEstimator, RecentQuantile } from "./statistics.ts";

/** What fades with time may be so old when it is read: nobody chooses by less. */
const HEALTH_CACHE_MS = 500;

/** Who fails more often than this does worse than it should. */
const DEGRADED_ERROR_RATE = 0.1;

/** What a provider said of the calls that it still takes. */
interface RemainingCalls {
  readonly calls: number;
  readonly untilMs: number;
}

/** Everything that one instance knows of one endpoint. The time is handed in, on a clock that never runs backwards. */
export class Endpoint {
  readonly breaker: Breaker;
  readonly pendingCalls = new PendingCalls();
  readonly #random: () => number;
  #calls = 0;
  #inFlight = 0;
  #calledMs = Number.NEGATIVE_INFINITY;
  #remainingCalls: RemainingCalls | undefined;
  readonly #speed = new EndpointSpeed();
  readonly #firstPartTimes = new RecentQuantile();
  readonly #wholeTimes = new RecentQuantile();
  readonly #errors = new DecayedRate();
  readonly #queueDelay = new QueueDelayEstimator();
  readonly #slowdown = new SlowdownDetector();
  readonly #trialBackoff = new TrialBackoff();
  /** The call that runs was let through as if nothing had been. */
  #onTrial = false;
  #cachedHealth: Health | undefined;
  /** The same for whoever's share it is not. */
  #cachedUnavailable: Health | undefined;
  #cachedUntilMs = 0;

  constructor(random: () => number, onTurn: (turn: BreakerTransition) => void) {
    this.#random = random;
    this.breaker = new Breaker(random, (turn) => {
      if (turn.kind === "recovering") this.#resetToBaseline();
      onTurn(turn);
    });
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** When a call of it last ended. */
  get calledMs(): number {
    return this.#calledMs;
  }

  /** Made anew only when something happened or time has changed it: it is asked for with every request, for every model. */
  healthAt(nowMs: number): Health {
    const seen =
      this.#cachedHealth !== undefined && nowMs < this.#cachedUntilMs ? this.#cachedHealth : this.#computeHealth(nowMs);
    if (seen.state !== "ramping" || this.#cachedUnavailable === undefined) return seen;
    return this.#random() < this.breaker.trafficShareAt(nowMs) ? seen : this.#cachedUnavailable;
  }

  /** A call begins; says beside how many others. */
  started(nowMs: number): number {
    this.#onTrial = this.#inFlight === 0 && this.#isTrialDue(nowMs);
    this.invalidate();
    if (this.#remainingCalls !== undefined && this.#remainingCalls.calls > 0)
      this.#remainingCalls = { ...this.#remainingCalls, calls: this.#remainingCalls.calls - 1 };
    this.#inFlight++;
    return this.#inFlight - 1;
  }

  /** A call has begun to answer: how long that took is known long before its end. */
  firstPart(firstPartMs: number, beside: number | undefined, nowMs: number): void {
    this.invalidate();
    this.breaker.firstPart(nowMs - firstPartMs);
    const isUsual = this.#speed.isUsual(firstPartMs);
    this.#speed.add("firstPart", firstPartMs, nowMs);
    if (beside !== undefined) this.#queueDelay.add(beside, firstPartMs);
    if (!this.#onTrial || isUsual === undefined) return;
    if (isUsual) this.#resetToBaseline();
    else this.#failTrial();
  }

  ended(): void {
    this.invalidate();
    this.#inFlight = Math.max(0, this.#inFlight - 1);
  }

  succeeded(call: CallMeasurement, nowMs: number): void {
    this.#recordCall(nowMs);
    this.#errors.add(nowMs, false);
    if (this.#onTrial && call.firstPartMs === undefined) this.#resetToBaseline();
    if (call.isProbe !== true) {
      this.#speed.add("latency", call.ms, nowMs);
      this.#wholeTimes.add(Math.round(call.ms));
      const stream = streamedSpan(call);
      if (stream !== undefined) this.#speed.add("throughput", (stream.tokens * 1_000) / stream.ms, nowMs);
    }
    if (call.firstPartMs !== undefined && call.isFirstPartReported !== true)
      this.firstPart(call.firstPartMs, call.concurrentCalls, nowMs);
    if (this.#isTooSlow(call, nowMs)) this.breaker.slowed(nowMs);
    else this.breaker.succeeded(nowMs, nowMs - call.ms);
    if (call.firstPartMs !== undefined) this.#firstPartTimes.add(Math.round(call.firstPartMs));
  }

  /**
   * Broken off after so long, as another was faster. Where that is above the average it is known to be slower now: otherwise
   * one that is always outrun would keep the good name that it had before.
   */
  lostRace(atLeastMs: number, nowMs: number): void {
    this.invalidate();
    this.breaker.release();
    const { firstPart = Number.POSITIVE_INFINITY, latency = Number.POSITIVE_INFINITY } = this.#speed.recent;
    if (atLeastMs > firstPart) {
      this.#speed.add("firstPart", atLeastMs, nowMs);
      this.#firstPartTimes.add(Math.round(atLeastMs));
    }
    if (atLeastMs > latency) {
      this.#speed.add("latency", atLeastMs, nowMs);
      this.#wholeTimes.add(Math.round(atLeastMs));
    }
  }

  /** Only a failure that blames the endpoint counts against it; says whether it did. */
  failed(failure: ProviderFailure, nowMs: number, afterMs = Number.POSITIVE_INFINITY): boolean {
    this.#recordCall(nowMs);
    if (failure.kind === "rate-limited" && failure.retryAfterSeconds !== undefined) {
      // The endpoint is well and says when it has room again: that is no error, and to be taken at its word.
      this.breaker.pause(nowMs, failure.retryAfterSeconds);
      return false;
    }
    if (!failure.blamesEndpoint) {
      this.breaker.release();
      return false;
    }
    this.#errors.add(nowMs, true);
    if (this.#onTrial) this.#failTrial();
    if (failure.outage === undefined) this.breaker.failed(nowMs, nowMs - afterMs);
    else this.breaker.refused(nowMs, failure.outage);
    return true;
  }

  setRemainingCalls(calls: number, seconds: number, nowMs: number): void {
    this.invalidate();
    this.#remainingCalls = { calls, untilMs: nowMs + seconds * 1_000 };
  }

  measurementsAt(nowMs: number): EndpointMeasurements {
    return {
      calls: this.#calls,
      latency: this.#speed.stateAt("latency", nowMs),
      firstPart: this.#speed.stateAt("firstPart", nowMs),
      throughput: this.#speed.stateAt("throughput", nowMs),
      errors: this.#errors.stateAt(nowMs),
      usual: this.#slowdown.state(),
      firstParts: this.#firstPartTimes.values(),
      wholes: this.#wholeTimes.values(),
    };
  }

  /** Takes over what others measured, in place of its own. */
  restoreMeasurements(figures: EndpointMeasurements, calledMs: number, nowMs: number): void {
    this.invalidate();
    this.#calls = figures.calls;
    this.#calledMs = calledMs;
    // What was known then has faded since.
    this.#speed.restore("latency", figures.latency, Math.min(calledMs, nowMs));
    this.#speed.restore("firstPart", figures.firstPart, Math.min(calledMs, nowMs));
    this.#speed.restore("throughput", figures.throughput, Math.min(calledMs, nowMs));
    this.#errors.restore(figures.errors, Math.min(calledMs, nowMs));
    this.#slowdown.restore(figures.usual);
    this.#firstPartTimes.restore(figures.firstParts);
    this.#wholeTimes.restore(figures.wholes);
  }

  mergePeer(stand: BreakerSnapshot): boolean {
    this.invalidate();
    return this.breaker.mergePeer(stand);
  }

  /** To be called whenever something may have changed. */
  invalidate(): void {
    this.#cachedHealth = undefined;
  }

  #recordCall(nowMs: number): void {
    this.invalidate();
    this.#calls++;
    this.#calledMs = nowMs;
  }

  #isTooSlow(call: CallMeasurement, nowMs: number): boolean {
    const firstTokenMs = firstTokenMsOf(call);
    if (firstTokenMs === undefined) return false;
    const isTrial = this.breaker.stateAt(nowMs) === "half-open";
    const isSlow = isTrial && this.#slowdown.isSlow(firstTokenMs);
    return this.#slowdown.add(firstTokenMs, this.#firstPartTimes.value) || isSlow;
  }

  /** What was measured while it did badly says nothing of it any more. */
  #resetToBaseline(): void {
    this.#onTrial = false;
    this.#trialBackoff.reset();
    this.#errors.restore({ failed: 0, all: 0 }, this.#calledMs);
    this.#speed.resetToBaseline(this.#calledMs);
  }

  #failTrial(): void {
    this.#onTrial = false;
    this.#trialBackoff.extend();
  }

  #isDegraded(nowMs: number): boolean {
    return this.#errors.valueAt(nowMs) > DEGRADED_ERROR_RATE || this.#speed.isDegraded;
  }

  /** Whether the next call may go there as if it were as before: one at a time, and where nobody calls it anyway. */
  #isTrialDue(nowMs: number): boolean {
    if (this.#inFlight > 0) return false;
    const state = this.breaker.stateAt(nowMs);
    const isDue = state === "closed" && this.#trialBackoff.isDue(nowMs - this.#calledMs);
    return (isDue || state === "half-open") && this.#isDegraded(nowMs);
  }

  #computeHealth(nowMs: number): Health {
    const { breaker } = this;
    if (this.pendingCalls.areTooSlow(nowMs, (ms) => this.#slowdown.isSlow(ms))) breaker.slowed(nowMs);
    const hasChance = this.#isTrialDue(nowMs);
    const pace = hasChance
      ? this.#speed.baseline
      : this.#speed.withOverdueCalls(this.pendingCalls.overdueMs(nowMs, this.#firstPartTimes.value));
    const state = breaker.stateAt(nowMs);
    const { outage, openUntilMs } = breaker.snapshot;
    const room =
      this.#remainingCalls !== undefined && nowMs < this.#remainingCalls.untilMs
        ? this.#remainingCalls.calls
        : undefined;
    const seen: Health = {
      available: breaker.wouldAdmit(nowMs),
      calls: this.#calls,
      latencyMs: pace.latency,
      wholeP95Ms: this.#wholeTimes.value,
      firstPartMs: pace.firstPart,
      firstPartP95Ms: this.#firstPartTimes.value,
      tokensPerSecond: pace.throughput,
      errorRate: hasChance ? 0 : this.#errors.valueAt(nowMs),
      inFlight: this.#inFlight,
      waitMs: this.#queueDelay.waitMs(this.#inFlight),
      room,
      state,
      outage: outage === undefined ? undefined : { ...outage, nextTryMs: openUntilMs },
    };
    this.#cachedHealth = seen;
    this.#cachedUnavailable = state === "ramping" ? { ...seen, available: false } : undefined;
    this.#cachedUntilMs = Math.min(
      nowMs + HEALTH_CACHE_MS,
      breaker.nextTransitionMs(nowMs),
      this.#remainingCalls?.untilMs ?? Infinity,
    );
    if (this.#cachedUntilMs <= nowMs) this.#cachedUntilMs = nowMs + HEALTH_CACHE_MS;
    return seen;
  }
}

const TRIAL_WAIT_MS_FIRST = 10_000;
/** With the time that a trial takes: whoever is as before again is back within half a minute. */
const TRIAL_WAIT_MS_MAX = 20_000;

/** When an endpoint that does worse than it used to, and that nobody calls for that, is tried by one call as if it were as before. */
class TrialBackoff {
  #waitMs = TRIAL_WAIT_MS_FIRST;

  isDue(idleMs: number): boolean {
    return idleMs >= this.#waitMs;
  }

  reset(): void {
    this.#waitMs = TRIAL_WAIT_MS_FIRST;
  }

  extend(): void {
    this.#waitMs = Math.min(2 * this.#waitMs, TRIAL_WAIT_MS_MAX);
  }
}
