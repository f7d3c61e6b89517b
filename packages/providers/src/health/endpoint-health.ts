import type { Clock } from "@trunkline/core/clock.ts";
import type { Health } from "@trunkline/core/route.ts";
import type { BreakerTransition, EjectionCause } from "./breaker.ts";
import { type CallListener, CallObservation, type ObserveOptions } from "./call-observation.ts";
import { Endpoint } from "./endpoint.ts";
import { type EndpointSnapshot, PeerStateSanitiser, shiftClock } from "./endpoint-snapshot.ts";

/** Notified when an endpoint is ejected, recovers, is reset or asks for a pause. */
type TransitionListener = (modelId: string, transition: BreakerTransition) => void;

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

const UNKNOWN_ACCOUNT = "";
/** Stands for all accounts whose calls went through another instance. */
const OTHER_INSTANCE = "elsewhere";
/** The measurements of another instance replace ours if its last call is later than ours by this much. */
const NEWER_MEASUREMENTS_MS = 60_000;
/** Two readings of the same machine's clocks differ by less than this. */
const CLOCK_DRIFT_MS = 1_000;

/** What this instance knows about every endpoint, and whether an endpoint may be called now. */
export class EndpointHealth {
  /** Set once, by EndpointStateSync, which shares the transitions with the other instances. */
  onTransition: TransitionListener = () => undefined;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #listener: CallListener;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #peerStates = new PeerStateSanitiser();
  #changed = new Set<string>();
  readonly #ejections = new Map<EjectionCause, number>();
  readonly #onChanged = (modelId: string): void => void this.#changed.add(modelId);

  constructor(clock: Clock, random: () => number = Math.random, listener: CallListener = NO_LISTENER) {
    this.#clock = clock;
    this.#random = random;
    this.#listener = listener;
  }

  /** Reads an endpoint's health. Does not take the slot of a half-open breaker. */
  of(modelId: string): Health {
    return this.#healthAt(modelId, this.#clock.monotonicMs());
  }

  /** The same for many endpoints at one moment: reading the clock takes longer than all the rest. */
  lookupNow(): (endpoint: { readonly id: string }) => Health {
    const nowMs = this.#clock.monotonicMs();
    return ({ id }) => this.#healthAt(id, nowMs);
  }

  /** How long ago a call last ended; undefined: never. */
  idleMs(modelId: string): number | undefined {
    const calledMs = this.#endpoints.get(modelId)?.calledMs ?? Number.NEGATIVE_INFINITY;
    return calledMs === Number.NEGATIVE_INFINITY ? undefined : this.#clock.monotonicMs() - calledMs;
  }

  /**
   * Whether a call may start now. A half-open breaker gives its one slot to the caller that gets true: that caller
   * either observes a call, whose outcome frees the slot, or calls `release`.
   */
  admit(modelId: string): boolean {
    const endpoint = this.#endpoints.get(modelId);
    if (endpoint === undefined) return true;
    endpoint.invalidate();
    return endpoint.breaker.admit(this.#clock.monotonicMs());
  }

  /** An admitted call is not made after all. */
  release(modelId: string): void {
    this.#endpoints.get(modelId)?.release();
  }

  /** Starts to observe a call. It counts as in flight until the observation has an outcome or is disposed. */
  observe(
    modelId: string,
    { accountId = UNKNOWN_ACCOUNT, hasSlot = true, isProbe = false }: ObserveOptions = {},
  ): CallObservation {
    return new CallObservation({
      modelId,
      accountId,
      hasSlot,
      isProbe,
      endpoint: this.#endpointOf(modelId),
      clock: this.#clock,
      listener: this.#listener,
      onChanged: this.#onChanged,
    });
  }

  /** The owner acted on an outage, for example with a new credential: the next call tries the endpoint. */
  reset(modelId: string): void {
    const endpoint = this.#endpoints.get(modelId);
    endpoint?.invalidate();
    endpoint?.breaker.reset(this.#clock.monotonicMs());
  }

  /** The endpoint answered outside of a client's call, as in its conformance check. */
  confirmed(modelId: string): void {
    const endpoint = this.#endpoints.get(modelId);
    endpoint?.invalidate();
    endpoint?.breaker.succeeded(this.#clock.monotonicMs());
  }

  /** The endpoints that have changed since the last call of this method. */
  drainChanged(): readonly string[] {
    const changed = [...this.#changed];
    this.#changed = new Set();
    return changed;
  }

  /** Puts back drained changes that could not be written. */
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
   * Takes over a snapshot of another instance, or of this one before its restart. Measurements are never mixed: those
   * of the instance that clearly called last replace the others as a whole. Of two breaker states the newer one counts,
   * so that an ejection holds on all instances, and so does its end; a pause lasts until the later of both ends. Times
   * from a clock that is ahead count as now.
   */
  mergeSnapshot(snapshot: EndpointSnapshot): void {
    const { modelId, calledMs, measurements, breaker } = snapshot;
    const endpoint = this.#endpointOf(modelId);
    const nowMs = this.#clock.monotonicMs();
    const behindMs = -this.#wallClockOffsetMs();
    const peerCalledMs = Math.min(calledMs + behindMs, nowMs);
    if (peerCalledMs > endpoint.calledMs + CLOCK_DRIFT_MS)
      endpoint.pendingCalls.recordUse(OTHER_INSTANCE, peerCalledMs);
    if (peerCalledMs > endpoint.calledMs + NEWER_MEASUREMENTS_MS)
      endpoint.restoreMeasurements(measurements, peerCalledMs, nowMs);
    endpoint.mergePeer(shiftClock(this.#peerStates.sanitise(modelId, breaker, nowMs - behindMs), behindMs));
  }

  /** How many endpoints are in each state, and how many of their calls are in flight. */
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

  /** How often this instance ejected endpoints, by cause. */
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
    const endpoint = new Endpoint(this.#random, (transition) => {
      this.#changed.add(modelId);
      if (transition.kind === "ejected")
        this.#ejections.set(transition.why, (this.#ejections.get(transition.why) ?? 0) + 1);
      this.onTransition(modelId, transition);
    });
    this.#endpoints.set(modelId, endpoint);
    return endpoint;
  }
}
