import type { Clock } from "@trunkline/core/clock.ts";

interface ScheduledEvent {
  readonly atMs: number;
  readonly run: () => void;
}

/** Time that jumps from one event to the next: an hour takes as long as what happens in it. */
export class SimulatedClock implements Clock {
  #nowMs = 0;
  /** The latest first, so that the next one is taken from the end. */
  readonly #scheduledEvents: ScheduledEvent[] = [];

  now(): number {
    return Date.UTC(2026, 0, 15, 12) + this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  /** What is due at one moment happens in the order in which it was arranged. */
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

  /** Waits so long, or until it is told to stop; then it throws what the signal says. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
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

  /** Lets everything happen, until nothing more is due. */
  async run(): Promise<void> {
    for (
      let scheduledEvent = this.#scheduledEvents.pop();
      scheduledEvent !== undefined;
      scheduledEvent = this.#scheduledEvents.pop()
    ) {
      this.#nowMs = scheduledEvent.atMs;
      scheduledEvent.run();
      // Whoever waited for this event goes on before the next one: their promises are settled by then.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
