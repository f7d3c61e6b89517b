import { setTimeout } from "node:timers/promises";

/** Resolves after so many milliseconds; rejects when the signal goes off before. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal });
}
