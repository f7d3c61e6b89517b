import { setImmediate } from "node:timers/promises";

/** How long work may hold the event loop before others get their turn. */
const YIELD_AFTER_MS = 12;

/** Returns a function to call between steps of long work: it lets others run when their turn has come, and ends the work when it is no longer wanted. */
export function cooperativeYield(signal: AbortSignal): () => Promise<void> {
  let startedAt = performance.now();
  return async () => {
    signal.throwIfAborted();
    if (performance.now() - startedAt < YIELD_AFTER_MS) return;
    await setImmediate();
    signal.throwIfAborted();
    startedAt = performance.now();
  };
}
