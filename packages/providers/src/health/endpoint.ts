import type { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Health } from "@trunkline/core/route.ts";
import { Breaker, type BreakerSnapshot, type BreakerTransition } from "./breaker.ts";
import type { EndpointMeasurements } from "./endpoint-snapshot.ts";
import { EndpointSpeed } from "./endpoint-speed.ts";
import { type CallMeasurement, firstTokenMsOf, streamedSpan } from "./endpoint-totals.ts";
import { PendingCalls, SlowdownDetector } from "./slow-detection.ts";
import { DecayedRate, QueueDelayEstimator, RecentQuantile } from "./statistics.ts";

/** How long a computed health is reused. What decays with time changes too little within it to matter for routing. */
const HEALTH_CACHE_MS = 500;

/** An endpoint with a higher error rate than this is degraded. */
const DEGRADED_ERROR_RATE = 0.1;

/** How many more calls the provider said it takes, and until when that holds. */
interface RemainingCalls {
  readonly calls: number;
  readonly untilMs: number;
}

/** Everything that one instance knows about one endpoint. Times are passed in, from a monotonic clock. */
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
  /** The call in flight is a trial: routing saw the endpoint's usual figures instead of its recent ones. */
  #onTrial = false;
  #cachedHealth: Health | undefined;
  /** The same, for requests outside of the ramping endpoint's share of the traffic. */
  #cachedUnavailable: Health | undefined;
  #cachedUntilMs = 0;

  constructor(random: () => number, onTransition: (transition: BreakerTransition) => void) {
    this.#random = random;
    this.breaker = new Breaker(random, (transition) => {
      if (transition.kind === "recovering") this.#resetToBaseline();
      onTransition(transition);
    });
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** When a call last ended. */
  get calledMs(): number {
    return this.#calledMs;
  }

  /** Cached until something happens or time changes it, as every request reads it for every model. */
  healthAt(nowMs: number): Health {
    const health =
      this.#cachedHealth !== undefined && nowMs < this.#cachedUntilMs ? this.#cachedHealth : this.#computeHealth(nowMs);
    if (health.state !== "ramping" || this.#cachedUnavailable === undefined) return health;
    return this.#random() < this.breaker.trafficShareAt(nowMs) ? health : this.#cachedUnavailable;
  }

  /** A call starts. Returns how many others are in flight. */
  started(nowMs: number): number {
    this.#onTrial = this.#inFlight === 0 && this.#isTrialDue(nowMs);
    this.invalidate();
    if (this.#remainingCalls !== undefined && this.#remainingCalls.calls > 0)
      this.#remainingCalls = { ...this.#remainingCalls, calls: this.#remainingCalls.calls - 1 };
    this.#inFlight++;
    return this.#inFlight - 1;
  }

  /** A call has begun to answer. Its time to the first part counts now, long before the answer ends. */
  firstPart(firstPartMs: number, concurrentCalls: number | undefined, nowMs: number): void {
    this.invalidate();
    this.breaker.firstPart(nowMs - firstPartMs);
    const isUsual = this.#speed.isUsual(firstPartMs);
    this.#speed.add("firstPart", firstPartMs, nowMs);
    if (concurrentCalls !== undefined) this.#queueDelay.add(concurrentCalls, firstPartMs);
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
   * A call was cancelled after this time, as another one was faster. A time above the average counts as a measurement:
   * otherwise an endpoint that always loses would keep the good figures it had before.
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

  /** Only a failure that blames the endpoint counts against it. Returns whether this one did. */
  failed(failure: ProviderFailure, nowMs: number, afterMs = Number.POSITIVE_INFINITY): boolean {
    this.#recordCall(nowMs);
    if (failure.kind === "rate-limited" && failure.retryAfterSeconds !== undefined) {
      // The endpoint works and says when it has capacity again: that is a pause, not an error.
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

  /** Frees the slot of a half-open breaker without an outcome. */
  release(): void {
    this.invalidate();
    this.breaker.release();
  }

  pause(seconds: number, nowMs: number): void {
    this.invalidate();
    this.breaker.pause(nowMs, seconds);
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

  /** Replaces the own measurements by those of another instance. */
  restoreMeasurements(measurements: EndpointMeasurements, calledMs: number, nowMs: number): void {
    this.invalidate();
    this.#calls = measurements.calls;
    this.#calledMs = calledMs;
    // The weight of what was measured then has decayed since.
    this.#speed.restore("latency", measurements.latency, Math.min(calledMs, nowMs));
    this.#speed.restore("firstPart", measurements.firstPart, Math.min(calledMs, nowMs));
    this.#speed.restore("throughput", measurements.throughput, Math.min(calledMs, nowMs));
    this.#errors.restore(measurements.errors, Math.min(calledMs, nowMs));
    this.#slowdown.restore(measurements.usual);
    this.#firstPartTimes.restore(measurements.firstParts);
    this.#wholeTimes.restore(measurements.wholes);
  }

  mergePeer(peer: BreakerSnapshot): boolean {
    this.invalidate();
    return this.breaker.mergePeer(peer);
  }

  /** Drops the cached health. Called whenever something may have changed. */
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

  /** The endpoint is as before again: forgets what was measured while it was degraded. */
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

  /** Whether the next call may be a trial: one at a time, and only on an endpoint without other calls. */
  #isTrialDue(nowMs: number): boolean {
    if (this.#inFlight > 0) return false;
    const state = this.breaker.stateAt(nowMs);
    const isDue = state === "closed" && this.#trialBackoff.isDue(nowMs - this.#calledMs);
    return (isDue || state === "half-open") && this.#isDegraded(nowMs);
  }

  #computeHealth(nowMs: number): Health {
    const { breaker } = this;
    if (this.pendingCalls.areTooSlow(nowMs, this.#slowdown)) breaker.slowed(nowMs);
    const isTrialDue = this.#isTrialDue(nowMs);
    const speed = isTrialDue
      ? this.#speed.baseline
      : this.#speed.withOverdueCalls(this.pendingCalls.overdueMs(nowMs, this.#firstPartTimes.value));
    const state = breaker.stateAt(nowMs);
    const { outage, openUntilMs } = breaker.snapshot;
    const room =
      this.#remainingCalls !== undefined && nowMs < this.#remainingCalls.untilMs
        ? this.#remainingCalls.calls
        : undefined;
    const health: Health = {
      available: breaker.wouldAdmit(nowMs),
      calls: this.#calls,
      latencyMs: speed.latency,
      wholeP95Ms: this.#wholeTimes.value,
      firstPartMs: speed.firstPart,
      firstPartP95Ms: this.#firstPartTimes.value,
      tokensPerSecond: speed.throughput,
      errorRate: isTrialDue ? 0 : this.#errors.valueAt(nowMs),
      inFlight: this.#inFlight,
      waitMs: this.#queueDelay.waitMs(this.#inFlight),
      room,
      state,
      outage: outage === undefined ? undefined : { ...outage, nextTryMs: openUntilMs },
    };
    this.#cachedHealth = health;
    this.#cachedUnavailable = state === "ramping" ? { ...health, available: false } : undefined;
    this.#cachedUntilMs = Math.min(
      nowMs + HEALTH_CACHE_MS,
      breaker.nextTransitionMs(nowMs),
      this.#remainingCalls?.untilMs ?? Infinity,
    );
    if (this.#cachedUntilMs <= nowMs) this.#cachedUntilMs = nowMs + HEALTH_CACHE_MS;
    return health;
  }
}

const TRIAL_WAIT_MS_FIRST = 10_000;
/** Together with the trial itself, an endpoint that is as before again is back within half a minute. */
const TRIAL_WAIT_MS_MAX = 20_000;

/** Picks when to send one trial call to an endpoint that routing avoids because it got slower or less reliable. */
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
