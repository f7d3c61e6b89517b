import type { Clock } from "@trunkline/core/clock.ts";

/** A clock that moves only when a test says so. */
export class ManualClock implements Clock {
  #now: number;
  #monotonicMs: number;

  constructor(now = Date.UTC(2026, 0, 15, 12), monotonicMs = 0) {
    this.#now = now;
    this.#monotonicMs = monotonicMs;
  }

  now(): number {
    return this.#now;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  advance(ms: number): void {
    this.#now += ms;
    this.#monotonicMs += ms;
  }
}
