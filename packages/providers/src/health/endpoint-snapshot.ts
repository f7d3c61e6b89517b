import { type BreakerSnapshot, openMsLimit, PAUSE_MS_MAX } from "./breaker.ts";
import type { BaselineTime } from "./slow-detection.ts";
import type { AverageState, RateState } from "./statistics.ts";

/** What was measured of an endpoint, as it is stored and shared. */
export interface EndpointMeasurements {
  readonly calls: number;
  readonly latency: AverageState | undefined;
  readonly firstPart: AverageState | undefined;
  readonly throughput: AverageState | undefined;
  readonly errors: RateState;
  /** The usual time to the first part, which SlowdownDetector compares with. */
  readonly usual: BaselineTime;
  /** The last times, in whole milliseconds, the oldest first. */
  readonly firstParts: readonly number[];
  readonly wholes: readonly number[];
}

/** What one instance knows about an endpoint. All times are wall time, as instances share no other clock. */
export interface EndpointSnapshot {
  readonly modelId: string;
  /** When a call last ended. */
  readonly calledMs: number;
  readonly measurements: EndpointMeasurements;
  readonly breaker: BreakerSnapshot;
}

/** The same state on another clock that is ahead by this much. */
export function shiftClock(breaker: BreakerSnapshot, byMs: number): BreakerSnapshot {
  const { rampSinceMs, outage } = breaker;
  return {
    ...breaker,
    changedMs: breaker.changedMs + byMs,
    openUntilMs: breaker.openUntilMs + byMs,
    rampSinceMs: rampSinceMs === undefined ? undefined : rampSinceMs + byMs,
    outage: outage === undefined ? undefined : { ...outage, sinceMs: outage.sinceMs + byMs },
    pausedUntilMs: breaker.pausedUntilMs + byMs,
  };
}

/** Stores the endpoints' states for all instances. */
export interface EndpointStateStore {
  /** Writes the snapshots, and notifies the other instances of the urgent ones at once. */
  put(snapshots: readonly EndpointSnapshot[], urgent: ReadonlySet<string>): Promise<void>;
  /** Reads all snapshots, those of some models, or those that were written within a time. */
  read(which: { readonly modelIds?: readonly string[]; readonly withinMs?: number }): Promise<EndpointSnapshot[]>;
}

/**
 * Corrects the states of other instances, whose clocks may be wrong: nothing has changed in the future, and no breaker
 * stays open longer than ours would.
 */
export class PeerStateSanitiser {
  /** States from the future, by endpoint. They are read again and again, and count only once. */
  readonly #futureTimes = new Map<string, { readonly changedMs: number; readonly pausedUntilMs: number }>();

  /** The state as it may be taken over. All times, also `nowMs`, are wall time. */
  sanitise(modelId: string, peer: BreakerSnapshot, nowMs: number): BreakerSnapshot {
    const known = this.#futureTimes.get(modelId);
    const latestMs = nowMs + PAUSE_MS_MAX;
    if (peer.changedMs > nowMs || peer.pausedUntilMs > latestMs)
      this.#futureTimes.set(modelId, { changedMs: peer.changedMs, pausedUntilMs: peer.pausedUntilMs });
    const isKnown = known?.changedMs === peer.changedMs;
    const pausedUntilMs =
      known?.pausedUntilMs === peer.pausedUntilMs ? Number.NEGATIVE_INFINITY : Math.min(peer.pausedUntilMs, latestMs);
    const aheadMs = Math.max(0, peer.changedMs - nowMs);
    const sinceMs = peer.changedMs - aheadMs;
    const openUntilMs = Math.min(peer.openUntilMs - aheadMs, sinceMs + openMsLimit(peer.outage !== undefined));
    const { rampSinceMs, outage } = peer;
    return {
      ...peer,
      changedMs: isKnown ? Number.NEGATIVE_INFINITY : sinceMs,
      openUntilMs,
      rampSinceMs: rampSinceMs === undefined ? undefined : Math.min(rampSinceMs, nowMs),
      outage: outage === undefined ? undefined : { ...outage, sinceMs: Math.min(outage.sinceMs, nowMs) },
      pausedUntilMs,
    };
  }
}
