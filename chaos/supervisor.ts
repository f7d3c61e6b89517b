import { setTimeout as wait } from "node:timers/promises";
import type { Instance } from "./instance.ts";
import type { Stand } from "./stand.ts";

const PAUSE_MS = 500;

/** Starts again what ended on its own, as a process manager does. That it ended is remembered as a trouble all the same. */
export class Supervisor {
  #isOver = false;

  constructor(stand: Stand) {
    for (const instance of stand.instances) void this.#watch(instance);
  }

  /** From here on an end is an end. */
  leave(): void {
    this.#isOver = true;
  }

  async #watch(instance: Instance): Promise<void> {
    for (;;) {
      await instance.ended;
      if (this.#isOver) return;
      await wait(PAUSE_MS);
      if (this.#isOver) return;
      await instance.start();
    }
  }
}
