import { beforeAll, describe, expect, it } from "vitest";
import { checkClaims, isMet, renderPlot, renderReport } from "./simulation/report.ts";
import { SimulatedClock } from "./simulation/simulated-clock.ts";
import { type OutageMetrics, type RunsByStrategy, runLiveConditions, runOutages } from "./simulation/trials.ts";

const SEED = "the tests' own";
const PER_SECOND = 3;

let simulationRuns: RunsByStrategy;
let outages: OutageMetrics[];

beforeAll(async () => {
  simulationRuns = await runLiveConditions(SEED, PER_SECOND);
  outages = await runOutages(SEED, PER_SECOND, ["cost-optimized", "speed-optimized"]);
});

describe("simulated time", () => {
  it("runs events in order, and waiting code continues before the next", async () => {
    const time = new SimulatedClock();
    const heard: string[] = [];
    const { signal } = new AbortController();
    time.schedule(20, () => heard.push(`second at ${time.monotonicMs()}`));
    time.schedule(10, () => heard.push(`first at ${time.monotonicMs()}`));
    time.schedule(10, () => {
      void time.sleep(5, signal).then(() => heard.push(`woken at ${time.monotonicMs()}`));
    });
    await time.run();
    expect(heard).toEqual(["first at 10", "woken at 15", "second at 20"]);
  });

  it("ends an aborted wait", async () => {
    const time = new SimulatedClock();
    const controller = new AbortController();
    const waiting = time.sleep(1_000, controller.signal);
    controller.abort(new Error("called off"));
    await expect(waiting).rejects.toThrow("called off");
  });
});

describe("the router under live conditions", () => {
  it("is the same for the same seed", async () => {
    const again = await runOutages(SEED, PER_SECOND, ["cost-optimized"]);
    expect(again).toEqual(outages.filter(({ strategy }) => strategy === "cost-optimized"));
  });

  it("meets its claims", () => {
    const missed = checkClaims(simulationRuns, outages).filter((claimResult) => !isMet(claimResult));
    expect(missed).toEqual([]);
  });

  it("is reported as text and as a plot", () => {
    const text = renderReport(simulationRuns, outages);
    expect(text).toContain("| cost-optimized ");
    expect(text).not.toContain("NaN");
    const picture = renderPlot(simulationRuns);
    expect(picture.startsWith("<svg ")).toBe(true);
    expect(picture.endsWith("</svg>\n")).toBe(true);
    expect(picture).not.toContain("NaN");
  });
});
