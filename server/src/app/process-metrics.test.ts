import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { processMetrics } from "./process-metrics.ts";

it("measures a process once, however many services ask", async () => {
  const [first, second] = [processMetrics(), processMetrics()];
  expect(second).toBe(first);
  const text = await first.metrics();
  for (const name of ["process_cpu_seconds_total", "nodejs_eventloop_lag_seconds", "nodejs_gc_duration_seconds"])
    expect(text.split(`# TYPE ${name} `).length, name).toBe(2);
});

it("lets go of a service that is gone", async () => {
  const metrics = new URL("./metrics.ts", import.meta.url).href;
  const program = `
    import { Metrics } from ${JSON.stringify(metrics)};
    const nothing = {};
    const make = () => {
      const inFlight = () => 0;
      new Metrics(inFlight, nothing, { health: nothing, prober: nothing }, nothing);
      return new WeakRef(inFlight);
    };
    const made = Array.from({ length: 5 }, make);
    // What a reference refers to stays until the turn of the event loop is over.
    await new Promise((resolve) => setTimeout(resolve));
    gc();
    process.stdout.write(String(made.filter((reference) => reference.deref() !== undefined).length));
  `;
  const words = ["--expose-gc", "--import", "tsx", "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: new URL("../..", import.meta.url) });
  expect(stdout.trim()).toBe("0");
});
