import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import type { Clock } from "@trunkline/core/clock.ts";

interface ScheduledEvent {
  readonly atMs: number;
  readonly run: () => void;
}

/** A clock that jumps from one event to the next. */
export class SimulatedClock implements Clock {
  #nowMs = 0;
  /** The latest first, so that the next one is at the end. */
  readonly #scheduledEvents: ScheduledEvent[] = [];

  now(): number {
    return Date.UTC(2026, 0, 15, 12) + this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  /** Events of the same time run in the order in which they were scheduled. */
  schedule(atMs: number, happen: () => void): void {
    const due = Math.max(atMs, this.#nowMs);
    let low = 0;
    let high = this.#scheduledEvents.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#scheduledEvents[middle]?.atMs ?? 0) > due) low = middle + 1;
      else high = middle;
    }
    this.#scheduledEvents.splice(low, 0, { atMs: due, run: happen });
  }

  /** Waits for a time, or throws the signal's reason when it aborts. */
  sleep(ms: number, signal: CancelSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      this.schedule(this.#nowMs + ms, () => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
    });
  }

  /** Runs all events. */
  async run(): Promise<void> {
    for (
      let scheduledEvent = this.#scheduledEvents.pop();
      scheduledEvent !== undefined;
      scheduledEvent = this.#scheduledEvents.pop()
    ) {
      this.#nowMs = scheduledEvent.atMs;
      scheduledEvent.run();
      // Code that waited for this event continues before the next one, once its promises are settled.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
