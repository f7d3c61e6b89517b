/** Time, passed in so that tests can hold it still. */
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
