import type { ProviderFailure } from "../domain/attempt.ts";
import type { Health } from "../domain/route.ts";
import type { Clock } from "../kit/clock.ts";
import { Breaker } from "./breaker.ts";
import { DecayedAverage, DecayedRate } from "./decayed.ts";
import { type CallFigures, streamOf } from "./endpoint-figures.ts";

/** Hears of every call that says something about its endpoint. */
export interface CallWitness {
  succeeded(modelId: string, call: CallFigures): void;
  failed(modelId: string): void;
}

const NOBODY: CallWitness = { succeeded: () => undefined, failed: () => undefined };

const NEVER_CALLED: Health = {
  available: true,
  calls: 0,
  latencyMs: undefined,
  firstPartMs: undefined,
  tokensPerSecond: undefined,
  errorRate: 0,
  state: "closed",
};

class Endpoint {
  calls = 0;
  readonly latencyMs = new DecayedAverage();
  readonly firstPartMs = new DecayedAverage();
  readonly tokensPerSecond = new DecayedAverage();
  readonly errors = new DecayedRate();
  readonly breaker: Breaker;

  constructor(random: () => number) {
    this.breaker = new Breaker(random);
  }
}

/** What this instance knows of every endpoint from its own calls, and whether it may be called now. */
export class EndpointHealth {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #witness: CallWitness;
  readonly #endpoints = new Map<string, Endpoint>();

  constructor(clock: Clock, random: () => number = Math.random, witness: CallWitness = NOBODY) {
    this.#clock = clock;
    this.#random = random;
    this.#witness = witness;
  }

  /** A snapshot for the router and for people. Takes no slot of a half-open breaker. */
  of(modelId: string): Health {
    const endpoint = this.#endpoints.get(modelId);
    if (endpoint === undefined) return NEVER_CALLED;
    const nowMs = this.#clock.monotonicMs();
    return {
      available: endpoint.breaker.wouldAdmit(nowMs),
      calls: endpoint.calls,
      latencyMs: endpoint.latencyMs.value,
      firstPartMs: endpoint.firstPartMs.value,
      tokensPerSecond: endpoint.tokensPerSecond.value,
      errorRate: endpoint.errors.valueAt(nowMs),
      state: endpoint.breaker.stateAt(nowMs),
    };
  }

  /** Whether a call may go out now. A half-open breaker gives its one slot to whoever gets true here. */
  admit(modelId: string): boolean {
    return this.#endpoints.get(modelId)?.breaker.admit(this.#clock.monotonicMs()) ?? true;
  }

  /** The call ended with an answer. */
  succeeded(modelId: string, call: CallFigures): void {
    const endpoint = this.#endpointOf(modelId);
    endpoint.calls++;
    endpoint.latencyMs.add(call.ms);
    if (call.firstPartMs !== undefined) endpoint.firstPartMs.add(call.firstPartMs);
    const stream = streamOf(call);
    if (stream !== undefined) endpoint.tokensPerSecond.add((stream.tokens * 1_000) / stream.ms);
    endpoint.errors.add(this.#clock.monotonicMs(), false);
    endpoint.breaker.succeeded();
    this.#witness.succeeded(modelId, call);
  }

  /** The call failed. Only a failure that blames the endpoint counts against it. */
  failed(modelId: string, failure: ProviderFailure): void {
    const endpoint = this.#endpointOf(modelId);
    const nowMs = this.#clock.monotonicMs();
    endpoint.calls++;
    if (failure.kind === "rate-limited" && failure.retryAfterSeconds !== undefined) {
      // The endpoint is well and says when it has room again: that is no error, and to be taken at its word.
      endpoint.breaker.pause(nowMs, failure.retryAfterSeconds);
    } else if (failure.blamesEndpoint) {
      endpoint.errors.add(nowMs, true);
      endpoint.breaker.failed(nowMs);
      this.#witness.failed(modelId);
    } else {
      endpoint.breaker.release();
    }
  }

  /** The endpoint says beforehand that it takes nothing more for a while. */
  pause(modelId: string, seconds: number): void {
    this.#endpointOf(modelId).breaker.pause(this.#clock.monotonicMs(), seconds);
  }

  /** The call came to nothing through no fault of the endpoint, for example because the client hung up. */
  abandoned(modelId: string): void {
    this.#endpoints.get(modelId)?.breaker.release();
  }

  #endpointOf(modelId: string): Endpoint {
    const known = this.#endpoints.get(modelId);
    if (known !== undefined) return known;
    const endpoint = new Endpoint(this.#random);
    this.#endpoints.set(modelId, endpoint);
    return endpoint;
  }
}
