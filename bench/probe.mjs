// @ts-check
/**
 * Loaded into a gateway before its program (`--import`), it does nothing until it gets SIGUSR2. Then it reads what to do
 * from the file `command` in the folder BENCH_PROBE, does it, and writes the file that the command names.
 */
import { createHook } from "node:async_hooks";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { memoryUsage } from "node:process";
import { GCProfiler } from "node:v8";

/** @typedef {{ kind: "start" | "stop", what: "heap" | "objects" | "profile", file: string }} ProbeCommand */

const folder = process.env.BENCH_PROBE ?? "";

/** The bytes allocated on the heap: what it grew by between collections. */
class HeapProbe {
  #profiler = new GCProfiler();
  #usedAtStart = 0;

  start() {
    this.#usedAtStart = memoryUsage().heapUsed;
    this.#profiler.start();
  }

  stop() {
    const profile = this.#profiler.stop();
    let bytes = 0;
    let used = this.#usedAtStart;
    for (const { beforeGC, afterGC } of profile.statistics) {
      bytes += beforeGC.heapStatistics.usedHeapSize - used;
      used = afterGC.heapStatistics.usedHeapSize;
    }
    return { heapBytes: bytes + memoryUsage().heapUsed - used };
  }
}

/** How many promises and timers were made. */
class ObjectProbe {
  #counts = { promises: 0, timers: 0 };
  #hook = createHook({
    init: (_id, type) => {
      if (type === "PROMISE") this.#counts.promises++;
      else if (type === "Timeout" || type === "Immediate") this.#counts.timers++;
    },
  });

  start() {
    this.#counts.promises = 0;
    this.#counts.timers = 0;
    this.#hook.enable();
  }

  stop() {
    this.#hook.disable();
    return this.#counts;
  }
}

/** Where the processor's time goes. */
class ProfileProbe {
  #session = new Session();

  async start() {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.setSamplingInterval", { interval: 250 });
    await this.#session.post("Profiler.start");
  }

  async stop() {
    const { profile } = await this.#session.post("Profiler.stop");
    this.#session.disconnect();
    return profile;
  }
}

const probes = { heap: new HeapProbe(), objects: new ObjectProbe(), profile: new ProfileProbe() };

process.on("SIGUSR2", async () => {
  /** @type {ProbeCommand} */
  const { kind, what, file } = JSON.parse(readFileSync(join(folder, "command"), "utf8"));
  const result = await probes[what][kind]();
  // Renamed when it is whole, as the bench waits for its name.
  writeFileSync(join(folder, `${file}.part`), JSON.stringify(result ?? {}));
  renameSync(join(folder, `${file}.part`), join(folder, file));
});
