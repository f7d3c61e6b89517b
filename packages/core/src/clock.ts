import { setTimeout } from "node:timers/promises";
import { type CancelSignal, toAbortSignal } from "./cancellation.ts";

/** Time, passed in so that tests can control it. */
export interface Clock {
  /** Wall time, milliseconds since 1970. */
  now(): number;
  /** Monotonic milliseconds with a fraction, for durations. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Resolves after a delay; rejects when the signal is aborted first. */
export function wait(ms: number, signal: CancelSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal: toAbortSignal(signal) });
}
