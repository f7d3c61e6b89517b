import { collectDefaultMetrics, Registry } from "prom-client";

let registry: Registry | undefined;

/**
 * The figures of the process itself: its memory, its collections, the delays of its event loop. All services of one
 * process share them, as what measures them can't be stopped again: it would go on, and keep a stopped service in memory.
 */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
