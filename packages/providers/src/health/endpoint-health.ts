import type { Clock } from "@trunkline/core/clock.ts";
import type { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Health } from "@trunkline/core/route.ts";
import type { BreakerTransition, EjectionCause } from "./breaker.ts";
import { Endpoint } from "./endpoint.ts";
import { type EndpointSnapshot, PeerStateSanitiser, shiftClock } from "./endpoint-snapshot.ts";
import type { CallMeasurement } from "./endpoint-totals.ts";

/** Hears of every call that says something about its endpoint. */
export interface CallListener {
  succeeded(modelId: string, call: CallMeasurement): void;
  failed(modelId: string): void;
}

/** Hears when an endpoint is taken out, comes back or asks for a pause. */
export type TransitionListener = (modelId: string, turn: BreakerTransition) => void;

const NO_LISTENER: CallListener = { succeeded: () => undefined, failed: () => undefined };

const NEVER_CALLED: Health = {
  available: true,
  calls: 0,
  latencyMs: undefined,
  wholeP95Ms: undefined,
  firstPartMs: undefined,
  firstPartP95Ms: undefined,
  tokensPerSecond: undefined,
  errorRate: 0,
  inFlight: 0,
  waitMs: 0,
  room: undefined,
  state: "closed",
  outage: undefined,
};

/** Where nobody says for whom a call is. */
const UNKNOWN_ACCOUNT = "";
/** Whoever calls by way of another instance. */
const OTHER_INSTANCE = "elsewhere";
/** Of two instances, the one that called an endpoint later by so much knows better how it does. */
const NEWER_MEASUREMENTS_MS = 60_000;
/** By less than this the clocks of one machine differ from one reading to the next. */
const CLOCK_DRIFT_MS = 1_000;

/** What this instance knows of every endpoint, and whether it may be called now. */
export class EndpointHealth {
  /** Told of every turn. Set once, by whoever shares them. */
  onTransition: TransitionListener = () => undefined;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #listener: CallListener;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #peerStates = new PeerStateSanitiser();
  #changed = new Set<string>();
  readonly #ejections = new Map<EjectionCause, number>();

  constructor(clock: Clock, random: () => number = Math.random, witness: CallListener = NO_LISTENER) {
    this.#clock = clock;
    this.#random = random;
    this.#listener = witness;
  }

  /** A snapshot for the router and for people. Takes no slot of a half-open breaker. */
  of(modelId: string): Health {
    return this.#healthAt(modelId, this.#clock.monotonicMs());
  }

  /** The same of many endpoints in one moment: looking at the clock takes longer than all the rest. */
  lookupNow(): (endpoint: { readonly id: string }) => Health {
    const nowMs = this.#clock.monotonicMs();
    return ({ id }) => this.#healthAt(id, nowMs);
  }

  /** How long ago a call last ended; undefined: never. */
  idleMs(modelId: string): number | undefined {
    const calledMs = this.#endpoints.get(modelId)?.calledMs ?? Number.NEGATIVE_INFINITY;
    return calledMs === Number.NEGATIVE_INFINITY ? undefined : this.#clock.monotonicMs() - calledMs;
  }

  /** Whether a call may go out now. A half-open breaker gives its one slot to whoever gets true here. */
  admit(modelId: string): boolean {
    const endpoint = this.#endpoints.get(modelId);
    if (endpoint === undefined) return true;
    endpoint.invalidate();
    return endpoint.breaker.admit(this.#clock.monotonicMs());
  }

  /** A call begins; says how many others of this endpoint run. Whoever calls this calls `ended`, once. */
  started(modelId: string): number {
    return this.#endpointOf(modelId).started(this.#clock.monotonicMs());
  }

  /** A call for somebody that began then is waited for until it speaks. Whoever calls this calls `listened`, once. */
  awaitsFirstPart(modelId: string, begunMs: number, by = UNKNOWN_ACCOUNT): void {
    this.#endpointOf(modelId).pendingCalls.add(begunMs, by);
  }

  /** The call that began then has spoken, or is over. */
  stopsAwaiting(modelId: string, begunMs: number, by = UNKNOWN_ACCOUNT): void {
    this.#endpoints.get(modelId)?.pendingCalls.remove(begunMs, by);
  }

  /** A call has begun to answer, after so long and beside so many others. */
  firstPart(modelId: string, firstPartMs: number, beside: number): void {
    this.#endpointOf(modelId).firstPart(firstPartMs, beside, this.#clock.monotonicMs());
  }

  ended(modelId: string): void {
    this.#endpoints.get(modelId)?.ended();
  }

  /** The call ended with an answer. */
  succeeded(modelId: string, call: CallMeasurement): void {
    this.#endpointOf(modelId).succeeded(call, this.#clock.monotonicMs());
    this.#changed.add(modelId);
    if (call.isProbe !== true) this.#listener.succeeded(modelId, call);
  }

  /** The call failed. Only a failure that blames the endpoint counts against it. */
  failed(modelId: string, failure: ProviderFailure, afterMs?: number): void {
    const counts = this.#endpointOf(modelId).failed(failure, this.#clock.monotonicMs(), afterMs);
    this.#changed.add(modelId);
    if (counts) this.#listener.failed(modelId);
  }

  /** A call that nobody asked for failed: it counts for what is decided here, and is on no record. */
  probeFailed(modelId: string, failure: ProviderFailure): void {
    this.#endpointOf(modelId).failed(failure, this.#clock.monotonicMs());
    this.#changed.add(modelId);
  }

  /** The endpoint says beforehand that it takes nothing more for a while. */
  pause(modelId: string, seconds: number): void {
    const endpoint = this.#endpointOf(modelId);
    endpoint.invalidate();
    endpoint.breaker.pause(this.#clock.monotonicMs(), seconds);
  }

  /** The endpoint says how many more calls it takes within so many seconds. */
  setRemainingCalls(modelId: string, calls: number, seconds: number): void {
    this.#endpointOf(modelId).setRemainingCalls(calls, seconds, this.#clock.monotonicMs());
  }

  /** The call came to nothing through no fault of the endpoint, for example because the client hung up. */
  abandoned(modelId: string): void {
    const endpoint = this.#endpoints.get(modelId);
    endpoint?.invalidate();
    endpoint?.breaker.release();
  }

  /** The call was broken off because another was faster: its first part took, or would have taken, at least so long. */
  lostRace(modelId: string, atLeastMs: number): void {
    const endpoint = this.#endpointOf(modelId);
    endpoint.lostRace(atLeastMs, this.#clock.monotonicMs());
    this.#changed.add(modelId);
  }

  /** Its owner did something about an outage: it is tried again at once. */
  reset(modelId: string): void {
    const endpoint = this.#endpoints.get(modelId);
    endpoint?.invalidate();
    endpoint?.breaker.reset(this.#clock.monotonicMs());
  }

  /** It was seen to answer otherwise than by a call, as in its conformance check. */
  confirmed(modelId: string): void {
    const endpoint = this.#endpoints.get(modelId);
    endpoint?.invalidate();
    endpoint?.breaker.succeeded(this.#clock.monotonicMs());
  }

  /** What has changed since this was last asked. */
  drainChanged(): readonly string[] {
    const changed = [...this.#changed];
    this.#changed = new Set();
    return changed;
  }

  /** To be asked for again: it could not be kept. */
  requeueChanged(modelIds: Iterable<string>): void {
    for (const modelId of modelIds) this.#changed.add(modelId);
  }

  snapshotOf(modelId: string): EndpointSnapshot | undefined {
    const endpoint = this.#endpoints.get(modelId);
    if (endpoint === undefined) return undefined;
    const aheadMs = this.#wallClockOffsetMs();
    const wasCalled = endpoint.calledMs !== Number.NEGATIVE_INFINITY;
    return {
      modelId,
      calledMs: endpoint.calledMs + aheadMs,
      measurements: endpoint.measurementsAt(wasCalled ? endpoint.calledMs : this.#clock.monotonicMs()),
      breaker: shiftClock(endpoint.breaker.snapshot, aheadMs),
    };
  }

  /**
   * What another instance knows, or this one knew before it was started anew. Figures are never mixed: those of whoever
   * called it clearly later replace the others whole. The stand of the breaker is the newer of the two, so that an
   * ejection holds everywhere and so does the end of it; a pause lasts until the later of both ends. What a clock that
   * is ahead says is taken for what happens now.
   */
  mergeSnapshot(snapshot: EndpointSnapshot): void {
    const { modelId, calledMs, measurements: figures, breaker: stand } = snapshot;
    const endpoint = this.#endpointOf(modelId);
    const nowMs = this.#clock.monotonicMs();
    const behindMs = -this.#wallClockOffsetMs();
    const theirsMs = Math.min(calledMs + behindMs, nowMs);
    if (theirsMs > endpoint.calledMs + CLOCK_DRIFT_MS) endpoint.pendingCalls.recordUse(OTHER_INSTANCE, theirsMs);
    if (theirsMs > endpoint.calledMs + NEWER_MEASUREMENTS_MS) endpoint.restoreMeasurements(figures, theirsMs, nowMs);
    endpoint.mergePeer(shiftClock(this.#peerStates.sanitise(modelId, stand, nowMs - behindMs), behindMs));
  }

  /** How many endpoints there are in each state, and how many of their calls run. */
  countByState(): ReadonlyMap<Health["state"], { readonly endpoints: number; readonly inFlight: number }> {
    const counts = new Map<Health["state"], { endpoints: number; inFlight: number }>();
    const nowMs = this.#clock.monotonicMs();
    for (const { breaker, inFlight } of this.#endpoints.values()) {
      const state = breaker.stateAt(nowMs);
      const known = counts.get(state) ?? { endpoints: 0, inFlight: 0 };
      counts.set(state, { endpoints: known.endpoints + 1, inFlight: known.inFlight + inFlight });
    }
    return counts;
  }

  /** How often endpoints were taken out by this instance, by why. */
  ejections(): ReadonlyMap<EjectionCause, number> {
    return this.#ejections;
  }

  #healthAt(modelId: string, nowMs: number): Health {
    const endpoint = this.#endpoints.get(modelId);
    if (endpoint === undefined) return NEVER_CALLED;
    const health = endpoint.healthAt(nowMs);
    if (health.outage === undefined) return health;
    const aheadMs = this.#wallClockOffsetMs();
    const { why, sinceMs, nextTryMs } = health.outage;
    return { ...health, outage: { why, sinceMs: sinceMs + aheadMs, nextTryMs: nextTryMs + aheadMs } };
  }

  #wallClockOffsetMs(): number {
    return this.#clock.now() - this.#clock.monotonicMs();
  }

  #endpointOf(modelId: string): Endpoint {
    const known = this.#endpoints.get(modelId);
    if (known !== undefined) return known;
    const endpoint = new Endpoint(this.#random, (turn) => {
      this.#changed.add(modelId);
      if (turn.kind === "ejected") this.#ejections.set(turn.why, (this.#ejections.get(turn.why) ?? 0) + 1);
      this.onTransition(modelId, turn);
    });
    this.#endpoints.set(modelId, endpoint);
    return endpoint;
  }
}
