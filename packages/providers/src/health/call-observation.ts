import type { Clock } from "@trunkline/core/clock.ts";
import type { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Endpoint } from "./endpoint.ts";
import type { CallMeasurement } from "./endpoint-totals.ts";

/** Notified of every finished call that says something about its endpoint. */
export interface CallListener {
  succeeded(modelId: string, call: CallMeasurement): void;
  failed(modelId: string): void;
}

export interface ObserveOptions {
  /** The account that the call is made for. */
  readonly accountId?: string;
  /**
   * Whether the call was admitted, and so may hold the one slot of a half-open breaker. A last-resort call was not: the
   * slot belongs to another call and is not released.
   */
  readonly hasSlot?: boolean;
  /**
   * A call that no client asked for. It is too short to say anything about the speed of whole answers, it is not waited
   * for, and it does not appear in the statistics.
   */
  readonly isProbe?: boolean;
}

interface CallObservationOptions extends Required<ObserveOptions> {
  readonly modelId: string;
  readonly endpoint: Endpoint;
  readonly clock: Clock;
  readonly listener: CallListener;
  /** Called when the endpoint's measurements have changed. */
  readonly onChanged: (modelId: string) => void;
}

/**
 * One call of an endpoint, from its start to its outcome. The first outcome counts and later ones are ignored.
 * `dispose` ends a call without an outcome: it counts neither for nor against the endpoint.
 */
export class CallObservation {
  readonly #options: CallObservationOptions;
  readonly #startedMs: number;
  /** How many other calls of this endpoint were in flight when this one started. */
  readonly #concurrentCalls: number;
  #firstPartMs: number | undefined;
  #hasContent = false;
  #isSettled = false;

  constructor(options: CallObservationOptions) {
    const { endpoint, clock, accountId, isProbe } = options;
    this.#options = options;
    this.#startedMs = clock.monotonicMs();
    this.#concurrentCalls = endpoint.started(this.#startedMs);
    if (!isProbe) endpoint.pendingCalls.add(this.#startedMs, accountId);
  }

  get elapsedMs(): number {
    return this.#msUntil(this.#options.clock.monotonicMs());
  }

  /** The time to the first part, or to the end of an empty answer. */
  get firstPartMs(): number | undefined {
    return this.#firstPartMs;
  }

  /** The endpoint has begun to answer. Only the first call of this method counts. */
  firstPart(): void {
    if (this.#isSettled || this.#hasContent) return;
    const { endpoint, clock, accountId, isProbe } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#hasContent = true;
    this.#firstPartMs ??= this.#msUntil(nowMs);
    // A probe's time counts only if the probe succeeds.
    if (isProbe) return;
    endpoint.pendingCalls.remove(this.#startedMs, accountId);
    endpoint.firstPart(this.#firstPartMs, this.#concurrentCalls, nowMs);
  }

  /** The endpoint said that its answer is complete. The outcome is still to be reported. */
  finished(): void {
    this.#firstPartMs ??= this.elapsedMs;
  }

  /** The call ended with an answer. */
  succeeded({ outputTokens }: { readonly outputTokens: number | undefined }): void {
    if (this.#isSettled) return;
    const { modelId, endpoint, clock, listener, onChanged, isProbe } = this.#options;
    const nowMs = clock.monotonicMs();
    const call: CallMeasurement = {
      ms: this.#msUntil(nowMs),
      firstPartMs: this.#hasContent ? this.#firstPartMs : undefined,
      outputTokens,
      concurrentCalls: isProbe ? undefined : this.#concurrentCalls,
      isFirstPartReported: this.#hasContent && !isProbe,
      isProbe,
    };
    endpoint.succeeded(call, nowMs);
    onChanged(modelId);
    if (!isProbe) listener.succeeded(modelId, call);
    this.#settle();
  }

  /** The call failed. Only a failure that blames the endpoint counts against it. */
  failed(failure: ProviderFailure): void {
    if (this.#isSettled) return;
    const { modelId, endpoint, clock, listener, onChanged, isProbe } = this.#options;
    const nowMs = clock.monotonicMs();
    const counts = endpoint.failed(failure, nowMs, isProbe ? undefined : this.#msUntil(nowMs));
    onChanged(modelId);
    if (counts && !isProbe) listener.failed(modelId);
    this.#settle();
  }

  /** The call was cancelled as another one was faster: its first part takes at least as long as the call has run. */
  lostRace(): void {
    if (this.#isSettled) return;
    const { modelId, endpoint, clock, onChanged } = this.#options;
    const nowMs = clock.monotonicMs();
    endpoint.lostRace(this.#firstPartMs ?? this.#msUntil(nowMs), nowMs);
    onChanged(modelId);
    this.#settle();
  }

  /** Ends the observation. Without an outcome, as when the client disconnects, only the slot is released. */
  dispose(): void {
    if (this.#isSettled) return;
    if (this.#options.hasSlot) this.#options.endpoint.release();
    this.#settle();
  }

  /** The endpoint says in advance that it takes no more calls for a while. */
  pause(seconds: number): void {
    this.#options.endpoint.pause(seconds, this.#options.clock.monotonicMs());
  }

  /** The endpoint says how many more calls it takes within this time. */
  setRemainingCalls(calls: number, seconds: number): void {
    this.#options.endpoint.setRemainingCalls(calls, seconds, this.#options.clock.monotonicMs());
  }

  #settle(): void {
    const { endpoint, accountId, isProbe } = this.#options;
    this.#isSettled = true;
    if (!this.#hasContent && !isProbe) endpoint.pendingCalls.remove(this.#startedMs, accountId);
    endpoint.ended();
  }

  /** Whole milliseconds, as they are shown to clients; a probe's are not shown and stay exact. */
  #msUntil(nowMs: number): number {
    const ms = nowMs - this.#startedMs;
    return this.#options.isProbe ? ms : Math.round(ms);
  }
}
