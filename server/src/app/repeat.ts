import { setTimeout as wait } from "node:timers/promises";
import type { Pace } from "../store/database/pace.ts";

/** How long background work rests after a step, in multiples of what the step took: it leaves most of a core to requests. */
const REST = 4;
/** However long a step took. */
const MAX_REST_MS = 2_000;

export type Job = () => Promise<unknown>;

/**
 * Runs jobs again and again until it is stopped: those of a list one after another, as all at once would hold up requests.
 * A list whose last round is not over is left out. A job that fails runs again in the next round.
 */
export class Repeater {
  readonly #onError: (error: unknown) => void;
  readonly #timers: NodeJS.Timeout[] = [];
  #isStopped = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  every(ms: number, jobs: readonly Job[]): void {
    let isRunning = false;
    const timer = setInterval(async () => {
      if (isRunning) return;
      isRunning = true;
      for (const job of jobs) {
        if (this.#isStopped) break;
        await job().catch(this.#onError);
      }
      isRunning = false;
    }, ms);
    timer.unref();
    this.#timers.push(timer);
  }

  /** For jobs of many steps. */
  readonly pace: Pace = async (stepMs) => {
    if (!this.#isStopped) await wait(Math.min(stepMs * REST, MAX_REST_MS), undefined, { ref: false });
    return !this.#isStopped;
  };

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) clearInterval(timer);
  }
}
