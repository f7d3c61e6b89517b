import type { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import type { Health } from "@trunkline/core/route.ts";
import { BelievableStands } from "./believable-stand.ts";
import type { BreakerTurn, EjectionCause } from "./breaker.ts";
import { Endpoint } from "./endpoint.ts";
import type { CallFigures } from "./endpoint-figures.ts";
import { type EndpointSnapshot, shiftStand } from "./endpoint-snapshot.ts";

/** Hears of every call that says something about its endpoint. */
export interface CallWitness {
  succeeded(modelId: string, call: CallFigures): void;
  failed(modelId: string): void;
}

/** Hears when an endpoint is taken out, comes back or asks for a pause. */
export type TurnListener = (modelId: string, turn: BreakerTurn) => void;

const NOBODY: CallWitness = { succeeded: () => undefined, failed: () => undefined };

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
const ANYBODY = "";
/** Whoever calls by way of another instance. */
const ELSEWHERE = "elsewhere";
/** Of two instances, the one that called an endpoint later by so much knows better how it does. */
const NEWER_BY_MS = 60_000;
/** By less than this the clocks of one machine differ from one reading to the next. */
const DRIFT_MS = 1_000;

/** What this instance knows of every endpoint, and whether it may be called now. */
export class EndpointHealth {
  /** Told of every turn. Set once, by whoever shares them. */
  onTurn: TurnListener = () => undefined;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #witness: CallWitness;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #believable = new BelievableStands();
  #changed = new Set<string>();
  readonly #ejections = new Map<EjectionCause, number>();

  constructor(clock: Clock, random: () => number = Math.random, witness: CallWitness = NOBODY) {
    this.#clock = clock;
    this.#random = random;
    this.#witness = witness;
  }

  /** A snapshot for the router and for people. Takes no slot of a half-open breaker. */
  of(modelId: string): Health {
    return this.#healthAt(modelId, this.#clock.monotonicMs());
  }

  /** The same of many endpoints in one moment: looking at the clock takes longer than all the rest. */
  now(): (endpoint: { readonly id: string }) => Health {
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
    endpoint.forgetSeen();
    return endpoint.breaker.admit(this.#clock.monotonicMs());
  }

  /** A call begins; says how many others of this endpoint run. Whoever calls this calls `ended`, once. */
  began(modelId: string): number {
    return this.#endpointOf(modelId).began(this.#clock.monotonicMs());
  }

  /** A call for somebody that began then is waited for until it speaks. Whoever calls this calls `listened`, once. */
  listens(modelId: string, begunMs: number, by = ANYBODY): void {
    this.#endpointOf(modelId).silent.listens(begunMs, by);
  }

  /** The call that began then has spoken, or is over. */
  listened(modelId: string, begunMs: number, by = ANYBODY): void {
    this.#endpoints.get(modelId)?.silent.listened(begunMs, by);
  }

  /** A call has begun to answer, after so long and beside so many others. */
  spoke(modelId: string, firstPartMs: number, beside: number): void {
    this.#endpointOf(modelId).spoke(firstPartMs, beside, this.#clock.monotonicMs());
  }

  ended(modelId: string): void {
    this.#endpoints.get(modelId)?.ended();
  }

  /** The call ended with an answer. */
  succeeded(modelId: string, call: CallFigures): void {
    this.#endpointOf(modelId).succeeded(call, this.#clock.monotonicMs());
    this.#changed.add(modelId);
    if (call.isProbe !== true) this.#witness.succeeded(modelId, call);
  }

  /** The call failed. Only a failure that blames the endpoint counts against it. */
  failed(modelId: string, failure: ProviderFailure, afterMs?: number): void {
    const counts = this.#endpointOf(modelId).failed(failure, this.#clock.monotonicMs(), afterMs);
    this.#changed.add(modelId);
    if (counts) this.#witness.failed(modelId);
  }

  /** A call that nobody asked for failed: it counts for what is decided here, and is on no record. */
  probeFailed(modelId: string, failure: ProviderFailure): void {
    this.#endpointOf(modelId).failed(failure, this.#clock.monotonicMs());
    this.#changed.add(modelId);
  }

  /** The endpoint says beforehand that it takes nothing more for a while. */
  pause(modelId: string, seconds: number): void {
    const endpoint = this.#endpointOf(modelId);
    endpoint.forgetSeen();
    endpoint.breaker.pause(this.#clock.monotonicMs(), seconds);
  }

  /** The endpoint says how many more calls it takes within so many seconds. */
  hasRoom(modelId: string, calls: number, seconds: number): void {
    this.#endpointOf(modelId).hasRoom(calls, seconds, this.#clock.monotonicMs());
  }

  /** The call came to nothing through no fault of the endpoint, for example because the client hung up. */
  abandoned(modelId: string): void {
    const endpoint = this.#endpoints.get(modelId);
    endpoint?.forgetSeen();
    endpoint?.breaker.release();
  }

  /** The call was broken off because another was faster: its first part took, or would have taken, at least so long. */
  outrun(modelId: string, atLeastMs: number): void {
    const endpoint = this.#endpointOf(modelId);
    endpoint.outrun(atLeastMs, this.#clock.monotonicMs());
    this.#changed.add(modelId);
  }

  /** Its owner did something about an outage: it is tried again at once. */
  mended(modelId: string): void {
    const endpoint = this.#endpoints.get(modelId);
    endpoint?.forgetSeen();
    endpoint?.breaker.mended(this.#clock.monotonicMs());
  }

  /** It was seen to answer otherwise than by a call, as in its conformance check. */
  proved(modelId: string): void {
    const endpoint = this.#endpoints.get(modelId);
    endpoint?.forgetSeen();
    endpoint?.breaker.succeeded(this.#clock.monotonicMs());
  }

  /** What has changed since this was last asked. */
  takeChanged(): readonly string[] {
    const changed = [...this.#changed];
    this.#changed = new Set();
    return changed;
  }

  /** To be asked for again: it could not be kept. */
  putBackChanged(modelIds: Iterable<string>): void {
    for (const modelId of modelIds) this.#changed.add(modelId);
  }

  snapshotOf(modelId: string): EndpointSnapshot | undefined {
    const endpoint = this.#endpoints.get(modelId);
    if (endpoint === undefined) return undefined;
    const aheadMs = this.#wallAheadMs();
    const wasCalled = endpoint.calledMs !== Number.NEGATIVE_INFINITY;
    return {
      modelId,
      calledMs: endpoint.calledMs + aheadMs,
      figures: endpoint.figuresAt(wasCalled ? endpoint.calledMs : this.#clock.monotonicMs()),
      stand: shiftStand(endpoint.breaker.stand, aheadMs),
    };
  }

  /**
   * What another instance knows, or this one knew before it was started anew. Figures are never mixed: those of whoever
   * called it clearly later replace the others whole. The stand of the breaker is the newer of the two, so that an
   * ejection holds everywhere and so does the end of it; a pause lasts until the later of both ends. What a clock that
   * is ahead says is taken for what happens now.
   */
  learn(snapshot: EndpointSnapshot): void {
    const { modelId, calledMs, figures, stand } = snapshot;
    const endpoint = this.#endpointOf(modelId);
    const nowMs = this.#clock.monotonicMs();
    const behindMs = -this.#wallAheadMs();
    const theirsMs = Math.min(calledMs + behindMs, nowMs);
    if (theirsMs > endpoint.calledMs + DRIFT_MS) endpoint.silent.used(ELSEWHERE, theirsMs);
    if (theirsMs > endpoint.calledMs + NEWER_BY_MS) endpoint.takeFigures(figures, theirsMs, nowMs);
    endpoint.adopt(shiftStand(this.#believable.of(modelId, stand, nowMs - behindMs), behindMs));
  }

  /** How many endpoints there are in each state, and how many of their calls run. */
  census(): ReadonlyMap<Health["state"], { readonly endpoints: number; readonly inFlight: number }> {
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
    const aheadMs = this.#wallAheadMs();
    const { why, sinceMs, nextTryMs } = health.outage;
    return { ...health, outage: { why, sinceMs: sinceMs + aheadMs, nextTryMs: nextTryMs + aheadMs } };
  }

  #wallAheadMs(): number {
    return this.#clock.now() - this.#clock.monotonicMs();
  }

  #endpointOf(modelId: string): Endpoint {
    const known = this.#endpoints.get(modelId);
    if (known !== undefined) return known;
    const endpoint = new Endpoint(this.#random, (turn) => {
      this.#changed.add(modelId);
      if (turn.kind === "ejected") this.#ejections.set(turn.why, (this.#ejections.get(turn.why) ?? 0) + 1);
      this.onTurn(modelId, turn);
    });
    this.#endpoints.set(modelId, endpoint);
    return endpoint;
  }
}
