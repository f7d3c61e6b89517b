import { setTimeout as wait } from "node:timers/promises";
import type { Instance } from "./instance.ts";
import type { Testbed } from "./testbed.ts";

const PAUSE_MS = 500;

/** Starts again what ended on its own, as a process manager does. That it ended is remembered as a trouble all the same. */
export class Supervisor {
  #isOver = false;

  constructor(testbed: Testbed) {
    for (const instance of testbed.instances) void this.#supervise(instance);
  }

  /** From here on an end is an end. */
  leave(): void {
    this.#isOver = true;
  }

  async #supervise(instance: Instance): Promise<void> {
    for (;;) {
      await instance.ended;
      if (this.#isOver) return;
      await wait(PAUSE_MS);
      if (this.#isOver) return;
      await instance.start();
    }
  }
}
