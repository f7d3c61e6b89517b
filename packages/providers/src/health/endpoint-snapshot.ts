import { type BreakerSnapshot, openMsLimit, PAUSE_MS_MAX } from "./breaker.ts";
import type { BaselineTime } from "./slow-detection.ts";
import type { AverageState, RateState } from "./statistics.ts";

/** What was measured of an endpoint, fit to be kept and handed on. */
export interface EndpointMeasurements {
  readonly calls: number;
  readonly latency: AverageState | undefined;
  readonly firstPart: AverageState | undefined;
  readonly throughput: AverageState | undefined;
  readonly errors: RateState;
  /** The time to the first part that it is compared with to see whether it has become slow. */
  readonly usual: BaselineTime;
  /** The last times, in whole milliseconds, the oldest first. */
  readonly firstParts: readonly number[];
  readonly wholes: readonly number[];
}

/** An endpoint as one instance knows it. Every moment is wall time, as no two instances share another clock. */
export interface EndpointSnapshot {
  readonly modelId: string;
  /** When it was last called. */
  readonly calledMs: number;
  readonly measurements: EndpointMeasurements;
  readonly breaker: BreakerSnapshot;
}

/** The same stand on another clock that is ahead by so much. */
export function shiftClock(stand: BreakerSnapshot, byMs: number): BreakerSnapshot {
  const { rampSinceMs, outage } = stand;
  return {
    ...stand,
    changedMs: stand.changedMs + byMs,
    openUntilMs: stand.openUntilMs + byMs,
    rampSinceMs: rampSinceMs === undefined ? undefined : rampSinceMs + byMs,
    outage: outage === undefined ? undefined : { ...outage, sinceMs: outage.sinceMs + byMs },
    pausedUntilMs: stand.pausedUntilMs + byMs,
  };
}

/** What endpoints are kept in, for all instances. */
export interface EndpointStateStore {
  /** Writes them; those marked are told to the other instances at once. */
  put(snapshots: readonly EndpointSnapshot[], urgent: ReadonlySet<string>): Promise<void>;
  /** All, some, or those that were written within so many milliseconds. */
  read(which: { readonly modelIds?: readonly string[]; readonly withinMs?: number }): Promise<EndpointSnapshot[]>;
}

/**
 * What other instances say of endpoints, as far as it can be true. The clock of one may be wrong: nothing has happened in
 * the future, and nothing is left alone for longer than a breaker does.
 */
export class PeerStateSanitiser {
  /** What was said of the future, by the endpoint: it is heard again and again, and news only once. */
  readonly #futureTimes = new Map<string, { readonly changedMs: number; readonly pausedUntilMs: number }>();

  /** The stand as it may be adopted, on the same clock: the wall's. */
  sanitise(modelId: string, told: BreakerSnapshot, nowMs: number): BreakerSnapshot {
    const heard = this.#futureTimes.get(modelId);
    const latestMs = nowMs + PAUSE_MS_MAX;
    if (told.changedMs > nowMs || told.pausedUntilMs > latestMs)
      this.#futureTimes.set(modelId, { changedMs: told.changedMs, pausedUntilMs: told.pausedUntilMs });
    const isOld = heard?.changedMs === told.changedMs;
    const pausedUntilMs =
      heard?.pausedUntilMs === told.pausedUntilMs ? Number.NEGATIVE_INFINITY : Math.min(told.pausedUntilMs, latestMs);
    const aheadMs = Math.max(0, told.changedMs - nowMs);
    const sinceMs = told.changedMs - aheadMs;
    const openUntilMs = Math.min(told.openUntilMs - aheadMs, sinceMs + openMsLimit(told.outage !== undefined));
    const { rampSinceMs, outage } = told;
    return {
      ...told,
      changedMs: isOld ? Number.NEGATIVE_INFINITY : sinceMs,
      openUntilMs,
      rampSinceMs: rampSinceMs === undefined ? undefined : Math.min(rampSinceMs, nowMs),
      outage: outage === undefined ? undefined : { ...outage, sinceMs: Math.min(outage.sinceMs, nowMs) },
      pausedUntilMs,
    };
  }
}
