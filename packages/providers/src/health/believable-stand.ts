import type { BreakerSnapshot } from "./breaker.ts";
import { openMsLimit, PAUSE_MS_MAX } from "./breaker-times.ts";

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
      heard?.pausedUntilMs === told.pausedUntilMs
        ? Number.NEGATIVE_INFINITY
        : Math.min(told.pausedUntilMs, latestMs);
    const aheadMs = Math.max(0, told.changedMs - nowMs);
    const sinceMs = told.changedMs - aheadMs;
    const openUntilMs = Math.min(
      told.openUntilMs - aheadMs,
      sinceMs + openMsLimit(told.outage !== undefined),
    );
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
