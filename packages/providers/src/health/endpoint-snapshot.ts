import type { BreakerSnapshot } from "./breaker.ts";
import type { AverageState, RateState } from "./decayed.ts";
import type { BaselineTime } from "./slow-watch.ts";

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
  read(which: {
    readonly modelIds?: readonly string[];
    readonly withinMs?: number;
  }): Promise<EndpointSnapshot[]>;
}
